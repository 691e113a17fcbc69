// Asks for the page once more when what it waits for is there: a part of the page, or numbers that the server works out
// from when it is first asked for them. The browser asks, not the server: a page that its reader has just left must not
// come back. Nor does it ask once Back was pressed or a link was followed: the server would take both for one question,
// and draw this page as no Back, or with the other page's address. The page that is then drawn waits for its own.
// Numbers are first asked for when the reader rests: what works them out would delay the next choice.

const DRAWN_MS = 100, KNOWN_MS = 750, QUIET_MS = 1500

export default function ({ data, setTriggerValue }) {
  // So whoever drives the page from outside sees that more of it is to come.
  document.documentElement.toggleAttribute("data-unfinished", Boolean(data.waits))
  if (!data.waits && !data.row) return
  const latest = performance.now() + data.latest
  let looking
  const look = async () => {
    if (!(await isThere()) && performance.now() < latest) looking &&= setTimeout(look, every)
    else if (looking) {
      stop()
      setTriggerValue("again", Date.now())
    }
  }
  const isThere = async () => {
    if (data.waits) return document.querySelector(".st-key-" + data.waits) !== null
    const said = await fetch(new URL("row/" + data.row, location.href)).catch(() => null)
    return Boolean(said?.ok && (await said.json()).known)
  }
  const every = data.waits ? DRAWN_MS : KNOWN_MS
  const stop = () => {
    clearTimeout(looking)
    looking = null
    document.documentElement.removeAttribute("data-unfinished")
    removeEventListener("popstate", stop)
    removeEventListener("click", followed, true)
  }
  const followed = (event) => {
    const link = event.target.closest("a[href]")
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || link?.target === "_blank"
    if (link && !elsewhere) stop()
  }
  looking = setTimeout(look, data.waits ? DRAWN_MS : QUIET_MS)
  addEventListener("popstate", stop)
  addEventListener("click", followed, true)
  return stop
}
