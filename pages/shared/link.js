// Copies the page's link. Writes a View that was only filled in into the address bar, without a new history entry.
// Asks for charts in the other theme when the reader's browser turns dark or light, and, on a page that follows what
// others may start or end, for a new look when the reader comes back to the tab. Tells states that Streamlit leaves out.

const copied = async (text) => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Over plain HTTP from another machine there is no clipboard; a selected field can still be copied.
    const field = document.createElement("textarea")
    field.value = text
    document.body.append(field)
    field.select()
    const done = document.execCommand("copy")
    field.remove()
    return done
  }
}

const theme = (element) => {
  const colour = getComputedStyle(element).getPropertyValue("--st-background-color").trim()
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
  return red * 0.299 + green * 0.587 + blue * 0.114 < 128 ? "dark" : "light"
}

// What the eye sees and the ear is not told: which page of the list is open, and whether a phone's selectors are.
let unfolded = null
const tellStates = () => {
  for (const link of document.querySelectorAll("[data-testid=stSidebarNavLink]")) {
    if (link.pathname === location.pathname) link.setAttribute("aria-current", "page")
    else link.removeAttribute("aria-current")
  }
  const button = unfolded === null ? null : document.querySelector(".st-key-selected button")
  button?.setAttribute("aria-expanded", String(unfolded))
}

// Streamlit may make any of these anew whenever it likes.
let isAwaited = false
new MutationObserver(() => {
  if (isAwaited) return
  isAwaited = true
  requestAnimationFrame(() => {
    isAwaited = false
    tellStates()
  })
}).observe(document.body, { childList: true, subtree: true })

let drawnFor = ""
let lookAgain = null
window.addEventListener("focus", () => lookAgain?.())

export default function ({ data, parentElement, setTriggerValue }) {
  const last = location.pathname.split("/").pop()
  const here = data.pages.includes(last) ? last : ""
  if (data.address && here === data.page && location.search !== "?" + data.address) {
    history.replaceState(history.state, "", location.pathname + "?" + data.address + location.hash)
  }
  unfolded = data.unfolded
  tellStates()
  const look = data.follow ? () => setTriggerValue("focus", Date.now()) : null
  lookAgain = look
  const button = parentElement.querySelector("button")
  const shown = theme(button)
  if (shown !== data.theme && shown !== drawnFor) setTriggerValue("theme", shown)
  drawnFor = shown
  button.textContent = "Copy link"
  button.onclick = async () => {
    const link = location.origin + location.pathname + (data.query ? "?" + data.query : "")
    button.textContent = (await copied(link)) ? "Copied" : "Copy it from the address bar"
    setTimeout(() => { button.textContent = "Copy link" }, 2000)
  }
  return () => {
    if (lookAgain === look) lookAgain = null
  }
}
