// Asks for the page once more when what it waits for is in it. The browser asks, not the server: a page that its reader
// has just left must not come back.

export default function ({ data, setTriggerValue }) {
  if (!data.waits) return
  const looking = setInterval(() => {
    if (!document.querySelector(".st-key-" + data.waits)) return
    clearInterval(looking)
    setTriggerValue("again", Date.now())
  }, 250)
  return () => clearInterval(looking)
}
