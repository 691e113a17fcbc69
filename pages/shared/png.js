// Saves the page's chart as an image by pressing the chart's own button, which is hidden until the mouse is there.

export default function ({ parentElement }) {
  const button = parentElement.querySelector("button")
  button.textContent = "PNG"
  button.title = "Save the chart as an image"
  button.onclick = () => {
    for (const own of document.querySelectorAll(".st-key-chart .modebar-btn")) {
      if (/png|download plot/i.test(own.dataset.title ?? "")) return own.click()
    }
  }
}
