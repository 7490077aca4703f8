import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A screen whose nodes stay the same for this long, without a skeleton, is open. */
const QUIET_MS = 200
/** When no part was read for this long, all others are shown. */
const STALLED_MS = 8_000

/** Whether parts of the screen at a path are being read for the first time. */
export function useOpening(main: RefObject<HTMLElement | null>, path: string): boolean {
  const [opened, setOpened] = useState<string | null>(null)
  useEffect(() => {
    const element = main.current
    if (element === null) return undefined
    const end = (): void => setOpened(path)
    const look = (): void => {
      if (element.querySelector('h1') && !element.querySelector('.skeleton')) end()
    }
    let timer = setTimeout(look, QUIET_MS)
    let stalled = setTimeout(end, STALLED_MS)
    let unread = 0
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(look, QUIET_MS)
      const left = element.querySelectorAll('.skeleton').length
      if (left === unread) return
      unread = left
      clearTimeout(stalled)
      stalled = setTimeout(end, STALLED_MS)
    })
    observer.observe(element, { childList: true, subtree: true })
    return () => {
      observer.disconnect()
      clearTimeout(timer)
      clearTimeout(stalled)
    }
  }, [path])
  return opened !== path
}
