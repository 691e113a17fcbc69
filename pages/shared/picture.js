// Saves the page's chart as PNG or SVG with what it says, where its data come from and the link to this view around
// it: plotly draws the chart as SVG, and the words are put above and below as text elements, never as markup.

const SVG = "http://www.w3.org/2000/svg"
const LEAST_PX = 760, SIDE = 24, SCALE = 2
const HEAD = { size: 19, line: 26, weight: 600 }, FOOT = { size: 12.5, line: 18, weight: 400 }
const MOST_LINES = 12

const made = (name, attributes, parent) => {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  parent?.append(element)
  return element
}

// The text in lines no wider than the room, broken between words or, in a word that is too long, between letters.
const inLines = (text, of, room) => {
  const pen = document.createElement("canvas").getContext("2d")
  const width = (part) => Math.max(...["Source Sans", "sans-serif"].map((family) => {
    pen.font = `${of.weight} ${of.size}px ${family}`
    return pen.measureText(part).width
  }))
  const lines = [""]
  const put = (part) => {
    if (width(lines.at(-1) + part.trimEnd()) <= room) return (lines[lines.length - 1] += part)
    if (lines.at(-1)) lines.push("")
    for (const letter of width(part.trimEnd()) <= room ? [part] : part) {
      if (width(lines.at(-1) + letter.trimEnd()) > room) lines.push("")
      lines[lines.length - 1] += letter
    }
  }
  for (const part of text.match(/\S+\s*|\s+/gu) ?? []) put(part)
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES - 1), "…"] : lines
}

// One text element whose lines together are the whole text, so that it can be searched for and copied.
const write = (lines, of, top, colour, family, parent) => {
  const text = made("text", { "xml:space": "preserve", fill: colour, "font-family": family,
    "font-size": of.size, "font-weight": of.weight }, parent)
  lines.forEach((line, nth) => {
    made("tspan", { x: SIDE, y: top + nth * of.line + of.size }, text).textContent = line
  })
  return top + lines.length * of.line
}

const shown = (key) => document.querySelector(`.st-key-${key.replace(/[^\w-]/g, "-")} .js-plotly-plot`)

const linkTo = (query) => location.origin + location.pathname + (query ? "?" + query : "")

// Texts that the page's style sheet chooses by its width (bench/chart/texts.py): a picture has no style sheet.
const chosen = (drawing) => {
  const page = Math.max(innerWidth, LEAST_PX)
  for (const element of drawing.querySelectorAll("[style*='--']")) {
    const px = (name, none) => Number(new RegExp(`--${name}: *(\\d+)`).exec(element.getAttribute("style"))?.[1] ?? none)
    const from = Math.max(px("from", 0), px("below", 0))
    element.style.display = page >= from && page < px("until", Infinity) ? "inline" : "none"
  }
  return drawing
}

// The chart within its words, as an SVG element and its size.
const composed = async (data) => {
  const chart = shown(data.chart), look = chart._fullLayout
  const width = Math.max(LEAST_PX, Math.round(look.width)), height = Math.round(look.height)
  const drawn = await window.Plotly.toImage(chart, { format: "svg", width, height, imageDataOnly: true })
  const inner = new DOMParser().parseFromString(drawn, "image/svg+xml").documentElement
  if (inner.nodeName !== "svg") throw new Error("plotly drew no SVG")
  const { color, family } = look.font, link = linkTo(data.query), room = width - 2 * SIDE
  const outer = made("svg", { xmlns: SVG, width, role: "img", "aria-label": data.headline })
  const ground = made("rect", { width, fill: look.paper_bgcolor }, outer)
  const top = write(inLines(data.headline, HEAD, room), HEAD, SIDE - 4, color, family, outer) + 8
  inner.setAttribute("y", top)
  outer.append(chosen(document.importNode(inner, true)))
  let end = top + height + 4
  end = write(inLines(data.source, FOOT, room), FOOT, end, color, family, outer)
  const anchor = made("a", { href: link }, outer)
  end = write(inLines(link, FOOT, room), FOOT, end, color, family, anchor) + SIDE - 8
  for (const element of [outer, ground]) element.setAttribute("height", end)
  outer.setAttribute("viewBox", `0 0 ${width} ${end}`)
  return { picture: outer, width, height: end }
}

// The page's typeface as a style within the picture: as an image it reaches no font of the page's.
const typeface = async () => {
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSFontFaceRule) || /italic/.test(rule.style.getPropertyValue("font-style"))) continue
      if (rule.style.getPropertyValue("font-family").replace(/["']/g, "") !== "Source Sans") continue
      const [, address] = /url\(["']?([^"')]+)/.exec(rule.style.getPropertyValue("src")) ?? []
      const file = await (await fetch(new URL(address, sheet.href ?? document.baseURI))).blob()
      const whole = await new Promise((done) => {
        const reader = new FileReader()
        reader.onload = () => done(reader.result)
        reader.readAsDataURL(file)
      })
      return `@font-face { font-family: "Source Sans"; font-weight: 200 900; src: url(${whole}); }`
    }
  }
  return ""
}

const asFile = ({ picture }) => new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" })

const rasterised = async (whole) => {
  const style = document.createElementNS(SVG, "style")
  style.textContent = await typeface().catch(() => "")
  whole.picture.prepend(style)
  const address = URL.createObjectURL(asFile(whole))
  try {
    const image = new Image(whole.width, whole.height)
    image.src = address
    await image.decode()
    const canvas = document.createElement("canvas")
    canvas.width = whole.width * SCALE
    canvas.height = whole.height * SCALE
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise((done) => canvas.toBlob(done, "image/png"))
  } finally {
    URL.revokeObjectURL(address)
  }
}

const save = (file, name) => {
  const anchor = document.createElement("a")
  anchor.href = URL.createObjectURL(file)
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000)
}

export default function ({ data, parentElement }) {
  for (const [kind, draw] of [["png", rasterised], ["svg", asFile]]) {
    const button = parentElement.querySelector(`[data-kind=${kind}]`)
    button.textContent = kind.toUpperCase()
    button.onclick = async () => {
      button.disabled = true
      try {
        save(await draw(await composed(data)), `${data.name}.${kind}`)
      } catch (problem) {
        console.error(problem)
        button.textContent = "Not saved: draw the chart again"
        setTimeout(() => { button.textContent = kind.toUpperCase() }, 4000)
      } finally {
        button.disabled = false
      }
    }
  }
}
