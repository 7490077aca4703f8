import { signal } from '@preact/signals'

import { undoLast } from '../kit/toasts.tsx'
import { linkTo } from '../kit/location.ts'
import { openPalette } from './palette.tsx'

/** A key or a sequence of two, where it works, and the name of its action in the catalogue. */
export type KeyBinding = { readonly keys: string; readonly place: string; readonly action: string }

/** All keys of the console: this table drives the handlers of the shell and the page of keys. */
export const KEY_TABLE: readonly KeyBinding[] = [
  { keys: 'Ctrl K', place: 'everywhere', action: 'palette' },
  { keys: '/', place: 'everywhere', action: 'search' },
  { keys: '?', place: 'everywhere', action: 'keys' },
  { keys: 'g o', place: 'everywhere', action: 'overview' },
  { keys: 'g a', place: 'everywhere', action: 'alarms' },
  { keys: 'g t', place: 'everywhere', action: 'objects' },
  { keys: 'g l', place: 'everywhere', action: 'slos' },
  { keys: 'g m', place: 'everywhere', action: 'maintenance' },
  { keys: 'g d', place: 'everywhere', action: 'dashboards' },
  { keys: 'g q', place: 'everywhere', action: 'queries' },
  { keys: 'g s', place: 'everywhere', action: 'scripts' },
  { keys: 'Esc', place: 'everywhere', action: 'close' },
  { keys: 'Z', place: 'everywhere', action: 'undo' },
  { keys: 'J K ↑ ↓', place: 'lists', action: 'move' },
  { keys: 'Home End', place: 'lists', action: 'ends' },
  { keys: 'Enter', place: 'lists', action: 'open' },
  { keys: 'X', place: 'lists', action: 'mark' },
  { keys: 'Shift J K', place: 'lists', action: 'extend' },
  { keys: 'A', place: 'alarms', action: 'acknowledge' },
  { keys: 'Shift A', place: 'alarms', action: 'assign' },
  { keys: 'C', place: 'alarms', action: 'comment' },
  { keys: 'M', place: 'alarms', action: 'maintain' },
  { keys: 'E', place: 'alarms', action: 'object' },
  { keys: '← →', place: 'tree', action: 'unfold' },
  { keys: '*', place: 'tree', action: 'siblings' },
  { keys: '← →', place: 'chart', action: 'points' },
  { keys: '+ -', place: 'chart', action: 'zoom' },
  { keys: 'T', place: 'chart', action: 'table' },
  { keys: 'F', place: 'chart', action: 'full' },
  { keys: '← → ↑ ↓', place: 'grid', action: 'cells' },
  { keys: 'S', place: 'grid', action: 'sort' },
  { keys: 'Ctrl Enter', place: 'forms', action: 'save' },
  { keys: '← → ↑ ↓', place: 'calendar', action: 'days' },
  { keys: 'N', place: 'calendar', action: 'plan' },
  { keys: 'Tab', place: 'calendar', action: 'entries' },
  { keys: 'Alt ← → ↑ ↓', place: 'board', action: 'moveWidget' },
  { keys: 'Alt Shift ← → ↑ ↓', place: 'board', action: 'resizeWidget' },
  { keys: 'Enter', place: 'board', action: 'configure' },
  { keys: 'Alt ← → ↑ ↓', place: 'calendar', action: 'moveEntry' },
  { keys: 'Alt Shift ← → ↑ ↓', place: 'calendar', action: 'resizeEntry' },
]

/** Whether single keys work (WCAG 2.1.4); the account switches them off. */
export const singleKeys = signal(localStorage.getItem('tidemark.singleKeys') !== 'off')

/** Switches single keys on or off, in this browser. */
export function keepSingleKeys(on: boolean): void {
  singleKeys.value = on
  localStorage.setItem('tidemark.singleKeys', on ? 'on' : 'off')
}

const SCREENS: Readonly<Record<string, string>> = {
  o: '',
  a: 'alarms',
  t: 'objects',
  l: 'slos',
  m: 'maintenance',
  d: 'dashboards',
  q: 'queries',
  s: 'scripts',
}
const SEQUENCE_MS = 1_200

/** Whether a key press belongs to a field or a dialog, where single keys do nothing else. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null
  return (
    target?.closest(
      'input:not([type=checkbox]), textarea, select, dialog, [contenteditable], [role=tree], .code-editor',
    ) != null
  )
}

/** Handles the keys that work everywhere. Returns a function that stops it. */
export function startKeys(route: (url: string) => void): () => void {
  let wasGo = 0
  const press = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      return openPalette()
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !singleKeys.value || isTyping(event)) return
    const screen = SCREENS[event.key]
    if (Date.now() - wasGo < SEQUENCE_MS && screen !== undefined) {
      event.preventDefault()
      event.stopImmediatePropagation()
      wasGo = 0
      return route(linkTo(screen))
    }
    wasGo = event.key === 'g' ? Date.now() : 0
    if (event.key === '/') {
      event.preventDefault()
      openPalette()
    } else if (event.key === '?') route(linkTo('keys'))
    else if (event.key === 'Z' || event.key === 'z') undoLast()
  }
  addEventListener('keydown', press, { capture: true })
  return () => removeEventListener('keydown', press, { capture: true })
}
