// Asks for the page once more when what it waits for is in it. The browser asks, not the server: a page that its reader
// has just left must not come back. Nor does it ask once Back was pressed: the server would take both for one question
// and forget that it was asked by Back. The page that is then drawn waits for its own.

export default function ({ data, setTriggerValue }) {
  if (!data.waits) return
  const looking = setInterval(() => {
    if (!document.querySelector(".st-key-" + data.waits)) return
    stop()
    setTriggerValue("again", Date.now())
  }, 250)
  const stop = () => {
    clearInterval(looking)
    removeEventListener("popstate", stop)
  }
  addEventListener("popstate", stop)
  return stop
}
