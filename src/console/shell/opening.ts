import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A screen whose nodes stay the same for this long, without a skeleton, is open. */
const QUIET_MS = 200
/** After this long all parts are shown that are read. */
const OPENING_MAX_MS = 8_000

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
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(look, QUIET_MS)
    })
    observer.observe(element, { childList: true, subtree: true })
    const last = setTimeout(end, OPENING_MAX_MS)
    return () => {
      observer.disconnect()
      clearTimeout(timer)
      clearTimeout(last)
    }
  }, [path])
  return opened !== path
}
