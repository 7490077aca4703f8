// A function that names `document` would need the types of browsers, which those of Bun contradict.

/** By how many pixels the page is wider than the window. */
export const TOO_WIDE = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** The elements that reach furthest beyond the window. */
export const WIDEST = `[...document.querySelectorAll('main *, dialog *')]
  .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .slice(0, 6)
  .map((element) => element.outerHTML.slice(0, 120))`

/** Links, buttons and fields that a box cuts at its side, so that they are reached by scrolling sideways alone. Trees, grids,
 * code, calendars and tabs, which scroll sideways by nature, are left out: the chosen tab is in view. */
export const CUT_CONTROLS = `(() => {
  const within = document.querySelector('dialog[open]') ?? document.querySelector('main') ?? document.body
  const boxOf = (element) => {
    for (let box = element.parentElement; box; box = box.parentElement)
      if (box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== 'visible') return box
    return null
  }
  return [...within.querySelectorAll(':is(a, button, input, select, textarea, summary, [role=tab])')]
    .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .filter((element) => !element.closest('.vh, [role=tree], [role=grid], [role=tablist], .code, .cal, .week'))
    .filter((element) => {
      const box = boxOf(element)
      if (!box) return false
      const { left, right } = element.getBoundingClientRect()
      // As if the box were not scrolled.
      const edge = box.getBoundingClientRect().left - box.scrollLeft
      return left < edge - 1 || right > edge + box.clientWidth + 2
    })
    .map((element) => 'cut: ' + element.outerHTML.slice(0, 160))
})()`

/** Icons of buttons that are drawn smaller than they are made. */
export const SMALL_ICONS = `[...document.querySelectorAll('button > svg, a.btn > svg')]
  .filter((icon) => icon.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter((icon) => icon.getBoundingClientRect().width < 12)
  .map((icon) => 'small icon: ' + icon.parentElement.outerHTML.slice(0, 160))`

/** The layout shifts without input: each has the element, its text, and its boxes before and after. */
export const SHIFTS = `new Promise((resolve) => {
  const found = []
  const boxOf = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join()
  const nameOf = (node) => {
    const element = node?.parentElement && !node.tagName ? node.parentElement : node
    return (element?.tagName ?? 'removed') + ' ' + (element?.className ?? '') + ' "' + (node?.textContent ?? '').slice(0, 40) + '"'
  }
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries())
      if (!hadRecentInput) found.push(value.toFixed(5) + ' ' + sources.map(({ node, previousRect, currentRect }) =>
        nameOf(node) + ' from ' + boxOf(previousRect) + ' to ' + boxOf(currentRect)).join('; '))
  }).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(found), 500)
})`
