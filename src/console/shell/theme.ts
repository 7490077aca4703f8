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

function applyTheme(): void {
  const root = document.documentElement
  if (theme.value === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = theme.value
}
