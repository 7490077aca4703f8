import { placeOf } from './places.ts'
import type { Finding } from './words.ts'

const PAGE = 'src/README.md'
const ROW = /^\| `([\w-]+\/[\w-]+)` \|/

type File = { readonly path: string; readonly text: string }
type Violation = Finding & { readonly path: string }

/** Rooms that the table of rooms leaves out, and rows of it that name none. */
export function roomTable(files: readonly File[]): Violation[] {
  const page = files.find(({ path }) => path === PAGE)
  if (page === undefined) return []
  const rooms = new Set(files.flatMap(({ path }) => roomOf(path) ?? []))
  const violations: Violation[] = []
  const rows = new Set<string>()
  for (const [index, line] of page.text.split('\n').entries()) {
    const room = ROW.exec(line)?.[1]
    if (room === undefined) continue
    rows.add(room)
    if (!rooms.has(room)) {
      violations.push({
        path: PAGE,
        line: index + 1,
        rule: 'a row of src/README.md names a room',
        detail: room,
      })
    }
  }
  for (const room of rooms) {
    if (!rows.has(room))
      violations.push({ path: PAGE, line: 1, rule: 'a room has a row in src/README.md', detail: room })
  }
  return violations
}

function roomOf(path: string): string | undefined {
  const place = placeOf(path)
  return place.kind === 'room' ? place.room : undefined
}
