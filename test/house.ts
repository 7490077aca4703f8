import { staleCitations } from './house/citations.ts'
import { strayHeadings } from './house/headings.ts'
import { misnamed } from './house/names.ts'
import { isSource } from './house/places.ts'
import { roomTable } from './house/room-table.ts'
import { readSource } from './house/source-text.ts'
import { brokenWall, circlesOfFiles, circlesOfRooms, type Edge, edgeOf } from './house/walls.ts'
import { type Finding, strayWords, wholeZod } from './house/words.ts'

/** A file with its path from the repository's root; an empty folder is a path that ends in a slash. */
export type HouseFile = { readonly path: string; readonly text: string }

export type Violation = Finding & { readonly path: string }

const UNFINISHED = /\b(?:TODO|FIXME)\b/

/** Everything in these files that breaks a wall of the house, a word's home, a name, a citation or a link. */
export function checkHouse(files: readonly HouseFile[]): Violation[] {
  const paths = new Set(files.map(({ path }) => path))
  const edges: Edge[] = []
  const violations: Violation[] = []
  for (const { path, text } of files) {
    const inFile = [
      ...misnamed(path, paths).map((rule) => ({ line: 1, rule, detail: '' })),
      ...(isSource(path) ? checkSource(path, text, edges) : checkText(path, text, paths)),
    ]
    violations.push(...inFile.map((finding) => ({ path, ...finding })))
  }
  return [
    ...violations,
    ...roomTable(files),
    ...strayHeadings(files),
    ...circlesOfRooms(edges).map((circle) => circleViolation('wall 3: rooms form no circle', circle, roomOf)),
    ...circlesOfFiles(edges).map((circle) =>
      circleViolation('wall 4: files form no circle', circle, ({ path }) => path),
    ),
  ]
}

/** One line a violation, in the form that editors and terminals link. */
export function report(violations: readonly Violation[]): string[] {
  return violations.map(({ path, line, rule, detail }) => `${path}:${line} ${rule}: ${detail}`)
}

function checkSource(path: string, text: string, edges: Edge[]): Finding[] {
  const source = readSource(text)
  const findings = [...strayWords(path, source), ...wholeZod(source)]
  for (const imported of source.imports) {
    const edge = edgeOf(path, imported)
    if (edge !== undefined) edges.push(edge)
    const broken = edge === undefined ? computedImport(path) : brokenWall(edge)
    if (broken !== undefined) findings.push({ line: imported.line, ...broken })
  }
  return findings
}

/** An import that computes its target could pass any wall unseen. */
function computedImport(path: string): { rule: string; detail: string } | undefined {
  const isWalled = path.startsWith('src/') || path.startsWith('db/')
  return isWalled ? { rule: 'wall 1: an import names its file', detail: 'import(…)' } : undefined
}

function checkText(path: string, text: string, paths: ReadonlySet<string>): Finding[] {
  const unfinished = text.split('\n').flatMap((line, index) => {
    const word = UNFINISHED.exec(line)?.[0]
    return word === undefined ? [] : [{ line: index + 1, rule: 'unfinished work is an issue', detail: word }]
  })
  return path.endsWith('README.md') || path.startsWith('docs/')
    ? [...unfinished, ...staleCitations(path, text, paths)]
    : unfinished
}

function roomOf({ from }: Edge): string {
  return from.kind === 'room' ? from.room : ''
}

function circleViolation(rule: string, circle: readonly Edge[], nodeOf: (edge: Edge) => string): Violation {
  const nodes = circle.map(nodeOf)
  const [first] = circle
  return {
    path: first?.path ?? '',
    line: first?.import.line ?? 1,
    rule,
    detail: `${[...nodes, nodes[0]].join(' → ')} (${circle.map(({ path, to }) => `${path} → ${to}`).join(', ')})`,
  }
}
