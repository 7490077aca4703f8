import type { JSX } from 'preact'

/** Line drawings of 16 × 16 units. Shapes are drawn with `stroke`, those in `FILLED` are filled. */
const DRAWINGS = {
  overview:
    '<path d="M1.5 10.5c1.6 0 1.6-1.5 3.25-1.5s1.6 1.5 3.25 1.5 1.6-1.5 3.25-1.5 1.6 1.5 3.25 1.5"/><path d="M1.5 14c1.6 0 1.6-1.5 3.25-1.5S6.35 14 8 14s1.6-1.5 3.25-1.5S12.85 14 14.5 14M8 6.5V1.5M5.5 1.5h5M8 4h1.8"/>',
  alarms: '<path d="M3.5 11.5V7a4.5 4.5 0 0 1 9 0v4.5l1.2 1H2.3ZM6.5 14.5h3"/>',
  objects:
    '<path d="M2 2.5h4.5v3.5H2zM9.5 7.5H14V11H9.5zM9.5 12.5M4.25 6v6.5a1 1 0 0 0 1 1H9.5M4.25 9.25H9.5M9.5 12.25H14v2.5H9.5z"/>',
  slo: '<path d="M2 12.5a6.5 6.5 0 1 1 12 0M8 9.5l3-3.5M2 12.5h1.5M12.5 12.5H14M8 3v1.3"/><circle cx="8" cy="9.5" r="1"/>',
  maintenance:
    '<rect x="2" y="3" width="12" height="11" rx="1.5"/><path d="M2 6.5h12M5.2 1.5V4M10.8 1.5V4M5 9.5h3.5M5 11.7h6"/>',
  dashboards: '<path d="M2 2h5.5v7H2zM10 2h4v4h-4zM10 8.5h4V14h-4zM2 11.5h5.5V14H2z"/>',
  map: '<path d="M8 14.5s4.75-4.3 4.75-8a4.75 4.75 0 0 0-9.5 0c0 3.7 4.75 8 4.75 8Z"/><circle cx="8" cy="6.5" r="1.6"/>',
  data: '<ellipse cx="8" cy="3.8" rx="5.5" ry="2.1"/><path d="M2.5 3.8v8.4c0 1.2 2.5 2.1 5.5 2.1s5.5-.9 5.5-2.1V3.8M2.5 8c0 1.2 2.5 2.1 5.5 2.1s5.5-.9 5.5-2.1"/>',
  scripts:
    '<rect x="1.5" y="2.5" width="13" height="11" rx="1.5"/><path d="m4.3 6 2.2 2-2.2 2M8.3 10.2h3.2"/>',
  users:
    '<circle cx="6" cy="5.3" r="2.6"/><path d="M1.5 13.5c0-2.4 2-4 4.5-4s4.5 1.6 4.5 4M10.5 2.9a2.6 2.6 0 0 1 0 4.8M12 9.8c1.5.6 2.5 1.9 2.5 3.7"/>',
  settings:
    '<path d="M2 4.5h6.5M12.5 4.5H14M2 11.5h1.5M7.5 11.5H14"/><circle cx="10.5" cy="4.5" r="1.9"/><circle cx="5.5" cy="11.5" r="1.9"/>',
  audit: '<path d="M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11h3"/>',
  search: '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>',
  up: '<path d="M8 13V3M3.5 7.5 8 3l4.5 4.5"/>',
  down: '<path d="M8 3v10M3.5 8.5 8 13l4.5-4.5"/>',
  chevron: '<path d="m6 3.5 4.5 4.5L6 12.5"/>',
  chevronDown: '<path d="m3.5 6 4.5 4.5L12.5 6"/>',
  copy: '<rect x="5.5" y="5.5" width="8" height="8.5" rx="1.2"/><path d="M10.5 3.5V2.7c0-.7-.5-1.2-1.2-1.2H3.7c-.7 0-1.2.5-1.2 1.2v6.6c0 .7.5 1.2 1.2 1.2h.8"/>',
  check: '<path d="m3 8.5 3.2 3.2L13 4.5"/>',
  close: '<path d="m4 4 8 8M12 4l-8 8"/>',
  plus: '<path d="M8 3v10M3 8h10"/>',
  minus: '<path d="M3 8h10"/>',
  play: '<path d="M4.5 2.8v10.4L13 8Z"/>',
  stop: '<rect x="3.5" y="3.5" width="9" height="9" rx="1"/>',
  pause: '<path d="M5.5 3v10M10.5 3v10"/>',
  sun: '<circle cx="8" cy="8" r="3"/><path d="M8 1.2v1.5M8 13.3v1.5M1.2 8h1.5M13.3 8h1.5M3.2 3.2l1 1M11.8 11.8l1 1M12.8 3.2l-1 1M4.2 11.8l-1 1"/>',
  more: '<circle cx="3" cy="8" r=".9" fill="currentColor"/><circle cx="8" cy="8" r=".9" fill="currentColor"/><circle cx="13" cy="8" r=".9" fill="currentColor"/>',
  clock: '<circle cx="8" cy="8" r="6.2"/><path d="M8 4.5V8l2.4 1.6"/>',
  upArrow: '<path d="M8 13V3.5M4 7l4-4 4 4"/>',
  downArrow: '<path d="M8 3v9.5M4 9l4 4 4-4"/>',
  right: '<path d="M3 8h9.5M9 4.2 12.8 8 9 11.8"/>',
  link: '<path d="M6.5 9.5a2.8 2.8 0 0 0 4 0l2.3-2.3a2.8 2.8 0 0 0-4-4l-.8.8M9.5 6.5a2.8 2.8 0 0 0-4 0L3.2 8.8a2.8 2.8 0 0 0 4 4l.8-.8"/>',
  download: '<path d="M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11"/>',
  filter: '<path d="M2 3.5h12M4.5 8h7M6.7 12.5h2.6"/>',
  edit: '<path d="M10.8 2.7 13.3 5.2 5.5 13l-3.2.7.7-3.2Z"/>',
  key: '<circle cx="5.2" cy="10.8" r="3.2"/><path d="M7.5 8.5 13.5 2.5M11 5l2 2"/>',
  info: '<circle cx="8" cy="8" r="6.2"/><path d="M8 7.3v4M8 4.7v.1"/>',
  comment: '<path d="M2 3h12v8.5H7L4 14v-2.5H2Z"/>',
  expand: '<path d="M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5 9.3 6.7M2.5 13.5l4.2-4.2"/>',
  refresh: '<path d="M13.5 8A5.5 5.5 0 1 1 11.7 3.9M13.5 2v3.2h-3.2"/>',
  undo: '<path d="M5.5 3 2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H7"/>',
  user: '<circle cx="8" cy="5.3" r="2.8"/><path d="M2.8 14c0-2.7 2.3-4.3 5.2-4.3s5.2 1.6 5.2 4.3"/>',
  group:
    '<path d="M1.5 4.2c0-.7.5-1.2 1.2-1.2h3.5l1.6 1.8h5.5c.7 0 1.2.5 1.2 1.2v6.3c0 .7-.5 1.2-1.2 1.2H2.7c-.7 0-1.2-.5-1.2-1.2Z"/>',
  device:
    '<rect x="2" y="2.5" width="12" height="4.7" rx="1"/><rect x="2" y="8.8" width="12" height="4.7" rx="1"/><path d="M4.5 4.9h.1M4.5 11.2h.1"/>',
  job: '<path d="M1.5 8.5h3l1.8-5 3.2 9 1.8-4h3.2"/>',
  drag: '<path d="M6 3v.1M10 3v.1M6 8v.1M10 8v.1M6 13v.1M10 13v.1"/>',
  table: '<rect x="2" y="2.5" width="12" height="11" rx="1"/><path d="M2 6.2h12M2 9.9h12M6.5 6.2v7.3"/>',
  chart: '<path d="M2 2v12h12M4.5 10.5l3-3.5 2.3 2 3.7-5"/>',
  mail: '<rect x="1.8" y="3.2" width="12.4" height="9.6" rx="1.2"/><path d="m2.3 4.2 5.7 4.6 5.7-4.6"/>',
  lock: '<rect x="3" y="7" width="10" height="7" rx="1.2"/><path d="M5.3 7V4.8a2.7 2.7 0 0 1 5.4 0V7"/>',
  screen: '<rect x="1.5" y="2.5" width="13" height="8.7" rx="1"/><path d="M8 11.2v2.6M5 13.8h6"/>',
  tag: '<path d="M2 2.5h5.5l6.5 6.5-5 5-7-6.5Z"/><path d="M5 5.3v.1"/>',
  file: '<path d="M3.5 1.5h6l3 3v10h-9ZM9.5 1.5v3h3"/>',
} as const

const STATE_DRAWINGS = {
  ok: '<circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="m5.2 8.2 2 2 3.7-4.1" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>',
  warning:
    '<path fill-rule="evenodd" d="M8 .9 15.1 8 8 15.1.9 8ZM8 6.4a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2Z"/>',
  minor:
    '<path fill-rule="evenodd" d="M8 1.2c.4 0 .7.2.9.5l6.3 11.2c.4.7-.1 1.6-.9 1.6H1.7c-.8 0-1.3-.9-.9-1.6L7.1 1.7c.2-.3.5-.5.9-.5ZM7.2 5.8h1.6v4H7.2Zm0 5.2h1.6v1.6H7.2Z"/>',
  major:
    '<path fill-rule="evenodd" d="M5 .8h6L15.2 5v6L11 15.2H5L.8 11V5ZM5 6.1 6.1 5 8 6.9 9.9 5 11 6.1 9.1 8 11 9.9 9.9 11 8 9.1 6.1 11 5 9.9 6.9 8Z"/>',
  nodata:
    '<circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="2.6 1.6"/><path d="M6.3 6.4c.1-1 .8-1.6 1.7-1.6 1 0 1.8.7 1.8 1.6 0 1.3-1.8 1.4-1.8 2.7" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round"/><circle cx="8" cy="11.3" r=".9"/>',
  maint:
    '<path d="M14.6 4.3 12.3 6.6 9.9 6.1 9.4 3.7l2.3-2.3a4.3 4.3 0 0 0-5.5 5.4L1.6 11.4a2 2 0 0 0 2.9 2.9l4.6-4.6a4.3 4.3 0 0 0 5.5-5.4Z"/>',
  stopped:
    '<rect x="3.5" y="2.5" width="3.2" height="11" rx=".6"/><rect x="9.3" y="2.5" width="3.2" height="11" rx=".6"/>',
} as const

export type IconName = keyof typeof DRAWINGS
export type StateShape = keyof typeof STATE_DRAWINGS

/** A decorative icon. Its meaning is always told by text beside it or by the label of its button. */
export function Icon({
  name,
  class: className = '',
}: {
  readonly name: IconName
  readonly class?: string
}): JSX.Element {
  return (
    <svg
      class={`i ${className}`}
      viewBox="0 0 16 16"
      aria-hidden="true"
      dangerouslySetInnerHTML={{ __html: DRAWINGS[name] }}
    />
  )
}

/** The shape of a state: each state has another outline, so that colour is never alone. */
export function StateIcon({ shape }: { readonly shape: StateShape }): JSX.Element {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="currentColor"
      aria-hidden="true"
      dangerouslySetInnerHTML={{ __html: STATE_DRAWINGS[shape] }}
    />
  )
}

export function Mark(): JSX.Element {
  return <svg viewBox="0 0 32 32" aria-hidden="true" dangerouslySetInnerHTML={{ __html: MARK }} />
}

const MARK =
  '<path d="M4.5 6.5h23" stroke="currentColor" stroke-width="3.6" stroke-linecap="round"/><path d="M16 6.5V28" stroke="currentColor" stroke-width="3.6" stroke-linecap="round"/><path d="M20.5 11.2h3M20.5 14.8h5" stroke="currentColor" stroke-width="1.7" stroke-linecap="round"/><path d="M2.5 21.3c2.2 0 2.6-2.2 4.7-2.2 2.2 0 2.6 2.2 4.8 2.2M20 21.3c2.2 0 2.6-2.2 4.8-2.2 2.1 0 2.5 2.2 4.7 2.2" fill="none" stroke="currentColor" stroke-width="2.3" stroke-linecap="round"/><path d="M6.5 27c1.8 0 2.2-1.9 4-1.9M21.5 27c1.8 0 2.2-1.9 4-1.9" fill="none" stroke="currentColor" stroke-width="2.3" stroke-linecap="round" opacity=".55"/>'
