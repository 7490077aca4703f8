import { useLayoutEffect, useRef } from 'preact/hooks'

/** Becomes true when the component leaves the page: what an action brings about is then for a message of the page. */
export function useIsGone(): { readonly current: boolean } {
  const isGone = useRef(false)
  useLayoutEffect(
    () => () => {
      isGone.current = true
    },
    [],
  )
  return isGone
}
