/** The colours of the theme as a canvas needs them. */
export type Ink = (token: string) => string

/** Resolves tokens such as `--series-1` for the place of an element, and calls `changed` when the theme changes. */
export function inkOf(
  host: HTMLElement,
  changed: () => void,
): { readonly ink: Ink; readonly stop: () => void } {
  const known = new Map<string, string>()
  const probe = document.createElement('i')
  probe.hidden = true
  host.append(probe)
  const forget = (): void => {
    known.clear()
    changed()
  }
  // Paper has the colours of the day.
  const media = ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print'].map((query) =>
    matchMedia(query),
  )
  for (const one of media) one.addEventListener('change', forget)
  const observer = new MutationObserver(forget)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return {
    ink(token) {
      const color = known.get(token)
      if (color !== undefined) return color
      probe.style.color = `var(${token})`
      const resolved = getComputedStyle(probe).color
      known.set(token, resolved)
      return resolved
    },
    stop() {
      observer.disconnect()
      for (const one of media) one.removeEventListener('change', forget)
      probe.remove()
    },
  }
}
