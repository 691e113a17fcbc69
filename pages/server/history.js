// Streamlit adds a page to the browser's history when the server has answered the click on a link. Back pressed before
// that would leave the page on which the link was followed, or the app. So an entry is added with the click, and the
// next entry that Streamlit adds takes its place. After Back, what comes late of the page that was left adds no entry.

(() => {
  let isAhead = false, isBack = false
  const push = history.pushState.bind(history)
  history.pushState = (state, title, url) => {
    const isOtherPage = new URL(url ?? "", location).pathname !== location.pathname
    if (isAhead || (isBack && isOtherPage)) history.replaceState(state, title, url)
    else push(state, title, url)
    isAhead = false
  }
  addEventListener("popstate", () => {
    isAhead = false
    isBack = true
  })
  addEventListener("click", () => { isBack = false }, true)
  // Streamlit prevents the default of a link that it follows itself, in a listener that is called before this one.
  addEventListener("click", ({ target, defaultPrevented }) => {
    const link = target.closest?.("a[href]")
    const isOtherPage = link?.origin === location.origin && link.pathname !== location.pathname
    if (!defaultPrevented || !isOtherPage || isAhead) return
    push(history.state, "")
    isAhead = true
  })
})()
