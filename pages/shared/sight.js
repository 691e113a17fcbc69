// Brings what a reader has just opened into sight, once: the page moves by as little as shows its head and figures, so
// that most of the chart stays. What the selectors cover is no sight.

export default function ({ data }) {
  const root = document.documentElement
  if (!data.nth || root.dataset.brought === data.nth) return
  root.dataset.brought = data.nth
  root.toggleAttribute("data-moving", true)  // for whoever drives the page from outside
  const bring = () => {
    root.removeAttribute("data-moving")
    const part = document.querySelector(".st-key-" + data.place), main = document.querySelector("[data-testid=stMain]")
    if (!part || !main) return
    const box = part.getBoundingClientRect(), row = document.querySelector(".st-key-selecting")
    const top = Math.max(0, row ? row.getBoundingClientRect().bottom : 0) + 8
    const below = box.top + Math.min(box.height + 16, 0.38 * innerHeight) - innerHeight
    const by = box.top < top ? box.top - top : Math.max(0, Math.min(below, box.top - top))
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches
    if (by) main.scrollBy({ top: by, behavior: still ? "instant" : "smooth" })
  }
  // What is drawn in the same run is there by then.
  setTimeout(bring, 120)
}
