import { signal } from '@preact/signals'
import type { ComponentType, JSX } from 'preact'

import { background } from '../kit/background.ts'

type View = ComponentType<{ readonly onClose: () => void }>
const isOpen = signal(false)
const view = signal<View | null>(null)

/** Opens the command palette. Its code is loaded when it is opened first. */
export function openPalette(): void {
  isOpen.value = true
  if (view.value === null)
    background(
      import('./palette-view.tsx').then(({ PaletteView }) => {
        view.value = PaletteView
      }),
    )
}

export function Palette(): JSX.Element | null {
  const LoadedView = view.value
  if (!isOpen.value || LoadedView === null) return null
  return (
    <LoadedView
      onClose={() => {
        isOpen.value = false
      }}
    />
  )
}
