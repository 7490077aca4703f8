import { signal } from '@preact/signals'

export type Theme = 'light' | 'dark' | 'system'
const KEY = 'tidemark.theme'
const stored = localStorage.getItem(KEY)

/** The theme of the page; `system` follows the browser. Kept in this browser, so that the first paint is right. */
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')
applyTheme()

export function changeTheme(to: Theme): void {
  theme.value = to
  if (to === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, to)
  applyTheme()
}

/** The theme that the page has now. */
export function shownTheme(): 'light' | 'dark' {
  if (theme.value !== 'system') return theme.value
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** A screen on a wall is dark at night, unless this browser has a theme of its own. */
export function showNight(isNight: boolean): void {
  if (theme.value === 'system') document.documentElement.dataset['theme'] = isNight ? 'dark' : 'light'
}

export function applyTheme(): void {
  const root = document.documentElement
  if (theme.value === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = theme.value
}
