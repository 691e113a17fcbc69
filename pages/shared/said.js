// Words for those who hear the page: a browser reads a live region out when its text changes, so only a change is written.

export default function ({ data, parentElement }) {
  const region = parentElement.querySelector("[role=status]")
  if (region.textContent !== data.words) region.textContent = data.words
}
