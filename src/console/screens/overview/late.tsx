import type { JSX } from 'preact'

/** Jobs that wait longer than usual for their next delivery. */
export function Late(): JSX.Element | null {
  return null
}
