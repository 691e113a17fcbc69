// Follows a link of the page as its reader would: what is left keeps its address, and Back leads to it.

export default function ({ data }) {
  let asked = 0
  const follow = () => {
    const links = [...document.querySelectorAll(".st-key-" + data.place + " a")]
    const link = links.find((one) => one.getAttribute("href") === data.href)
    if (link) link.click()
    else if (asked++ < 60) requestAnimationFrame(follow)
  }
  follow()
}
