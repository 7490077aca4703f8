import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

import type { Draft } from './drag.ts'

/** Keeps the focus on an occurrence that moves to another cell, where the page draws it anew. */
export function useKeptFocus(grid: RefObject<HTMLElement | null>, draft: Draft | null): void {
  const kept = useRef<readonly string[]>([])
  if (draft?.occurrence) {
    const { key, entry } = draft.occurrence
    // Once saved, the occurrence is known by its new begin.
    kept.current = [key, `${entry.id} ${draft.begin}`]
  }
  useLayoutEffect(() => {
    if (kept.current.length === 0) return
    if (document.activeElement !== document.body) {
      const isHere = document.activeElement?.matches(kept.current.map(selector).join(', ')) ?? false
      if (!isHere && !draft) kept.current = []
      return
    }
    const all = kept.current.map((key) => grid.current?.querySelector<HTMLElement>(selector(key)))
    all.find((element) => element != null)?.focus()
  })
}

const selector = (key: string): string => `[data-key="${key}"]`
