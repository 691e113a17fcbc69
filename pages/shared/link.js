// Copies the page's link; writes a View that was only filled in into the address bar, without a new history entry.

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

export default function ({ data, parentElement }) {
  const last = location.pathname.split("/").pop()
  const here = data.pages.includes(last) ? last : ""
  if (data.address && here === data.page && location.search !== "?" + data.address) {
    history.replaceState(history.state, "", location.pathname + "?" + data.address + location.hash)
  }
  const button = parentElement.querySelector("button")
  button.textContent = "Copy link"
  button.onclick = async () => {
    const link = location.origin + location.pathname + (data.query ? "?" + data.query : "")
    button.textContent = (await copied(link)) ? "Copied" : "Copy it from the address bar"
    setTimeout(() => { button.textContent = "Copy link" }, 2000)
  }
}
