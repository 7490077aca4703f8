import { signal } from '@preact/signals'

import { undoLast } from '../kit/toasts.ts'
import { linkTo } from '../kit/location.ts'
import { KEY_TABLE } from './key-table.ts'
import { openPalette } from './palette.tsx'

/** Whether single keys work (WCAG 2.1.4); the account switches them off. */
export const singleKeys = signal(localStorage.getItem('tidemark.singleKeys') !== 'off')

/** Switches single keys on or off, in this browser. */
export function keepSingleKeys(on: boolean): void {
  singleKeys.value = on
  localStorage.setItem('tidemark.singleKeys', on ? 'on' : 'off')
}

/** The screens of the sequences, by the second key. */
const SCREENS: ReadonlyMap<string, string> = new Map(
  KEY_TABLE.flatMap(({ keys, action }) =>
    keys.startsWith('g ') ? [[keys.slice(2), action === 'overview' ? '' : action]] : [],
  ),
)
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
    const screen = SCREENS.get(event.key)
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
    else if (event.key === 'Z' || event.key === 'z') void undoLast()
  }
  addEventListener('keydown', press, { capture: true })
  return () => removeEventListener('keydown', press, { capture: true })
}
