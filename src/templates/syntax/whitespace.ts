import type { Node, NodeOf } from './tree.ts'

/** A node with its neighbours, and with the lines on which it begins and ends. */
type Placed = {
  readonly node: Node
  readonly parent: Placed | null
  children: Placed[]
  index: number
  firstLine: number
  lastLine: number
  isAtLineStart: boolean
}
type PlacedText = Placed & { readonly node: NodeOf<'text'> }

/** Removes the lines that hold only tags, as FreeMarker does, and applies `t`, `lt`, `rt` and `nt`.
 * It changes the tree.
 * @returns the elements that are left */
export function stripWhitespace(text: string, nodes: readonly Node[]): readonly Node[] {
  const lines = lineStarts(text)
  const root: Node = { kind: 'mixed', at: 0, end: text.length, children: [...nodes] }
  clean(place(root, null, 0, lines))
  return root.children
}

function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\r\n|[\r\n]/g)].map(({ index, 0: end }) => index + end.length)]
}

function lineOf(lines: readonly number[], at: number): number {
  let [low, high] = [0, lines.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((lines[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}

function place(node: Node, parent: Placed | null, index: number, lines: readonly number[]): Placed {
  const firstLine = lineOf(lines, node.at)
  const placed: Placed = {
    node,
    parent,
    index,
    children: [],
    firstLine,
    lastLine: lineOf(lines, Math.max(node.at, node.end - 1)),
    // FreeMarker gives a tab the column of its end.
    isAtLineStart: lines[firstLine] === node.at && !(node.kind === 'text' && node.text.startsWith('\t')),
  }
  placed.children = node.children.map((child, position) => place(child, placed, position, lines))
  return placed
}

function clean(placed: Placed): void {
  if (isText(placed)) {
    strip(placed)
    return
  }
  for (const child of placed.children) clean(child)
  for (let index = 0; index < placed.children.length;) {
    const child = placed.children[index]
    if (child && isIgnorable(child)) {
      placed.children.splice(index, 1)
      for (const [position, other] of placed.children.entries()) other.index = position
    } else index += 1
  }
  placed.node.children = placed.children.map(({ node }) => node)
}

const isText = (placed: Placed): placed is PlacedText => placed.node.kind === 'text'
const isBlank = (text: string): boolean => !/[^\0- ]/.test(text)
const previous = ({ parent, index }: Placed): Placed | undefined => parent?.children[index - 1]
const next = ({ parent, index }: Placed): Placed | undefined => parent?.children[index + 1]
const isTop = ({ parent }: Placed): boolean => parent !== null && parent.parent === null

function isIgnorable(placed: Placed): boolean {
  if (placed.node.kind === 'trim') return true
  if (!isText(placed)) return false
  if (placed.node.text === '') return true
  if (!isBlank(placed.node.text)) return false
  const isQuiet = (beside: Placed | undefined) => (beside ? writesNothing(beside.node) : isTop(placed))
  return isQuiet(previous(placed)) && isQuiet(next(placed))
}

function writesNothing({ kind }: Node): boolean {
  return kind === 'macro' || kind === 'assign' || kind === 'setting' || kind === 'comment'
}

/** The leaf before or after. Definitions and captures are leaves, also with children. */
function neighbour(placed: Placed, direction: -1 | 1): Placed | undefined {
  let found: Placed | undefined
  for (let at: Placed | null = placed; at && !found; at = at.parent)
    found = direction < 0 ? previous(at) : next(at)
  while (found && found.children.length > 0 && found.node.kind !== 'macro' && found.node.kind !== 'capture')
    found = found.children.at(direction < 0 ? -1 : 0)
  return found
}

/** The leaves that begin on the last line of the text. */
function* after(placed: PlacedText): Generator<Placed> {
  for (let leaf = neighbour(placed, 1); leaf && leaf.firstLine === placed.lastLine; leaf = neighbour(leaf, 1))
    yield leaf
}

/** The leaves that end on the first line of the text. */
function* before(placed: PlacedText): Generator<Placed> {
  for (
    let leaf = neighbour(placed, -1);
    leaf && leaf.lastLine === placed.firstLine;
    leaf = neighbour(leaf, -1)
  )
    yield leaf
}

function strip(placed: PlacedText): void {
  if (placed.node.text === '') return
  const isLeftKept = trimLeft(placed)
  const isRightKept = trimRight(placed)
  const { text } = placed.node
  if (text === '' || (isTop(placed) && placed.index === 0)) return
  const trailing = isLeftKept ? 0 : trailingToStrip(placed)
  const opening = isRightKept ? 0 : openingToStrip(placed)
  placed.node.text = text.slice(opening, Math.max(opening, text.length - trailing))
  if (opening > 0) {
    placed.firstLine += 1
    placed.isAtLineStart = true
  }
}

/** Applies `lt` and `t` that follow on the line. @returns whether the end of the text is settled */
function trimLeft(placed: PlacedText): boolean {
  let isSettled = false
  for (const { node } of after(placed)) {
    if (node.kind !== 'trim') continue
    if (node.left || !node.right) isSettled = true
    if (!node.left) continue
    const { text } = placed.node
    const line = text.search(/[^\r\n]*$/)
    if (line > 0 || placed.isAtLineStart)
      placed.node.text = text.slice(0, line) + text.slice(line).trimStart()
  }
  return isSettled
}

/** Applies `rt` and `t` that stand before on the line. @returns whether the beginning of the text is settled */
function trimRight(placed: PlacedText): boolean {
  let isSettled = false
  for (const { node } of before(placed)) {
    if (node.kind !== 'trim') continue
    if (node.right || !node.left) isSettled = true
    if (!node.right) continue
    const opening = /^[^\r\n]*(?:\r\n|[\r\n])/.exec(placed.node.text)?.[0]
    if (opening === undefined) return false
    const rest = placed.node.text.slice(opening.length)
    if (isBlank(opening)) {
      placed.node.text = rest
      placed.firstLine += 1
      placed.isAtLineStart = true
    } else placed.node.text = opening.trimEnd() + (isBlank(rest) && isEndTrimmed(placed) ? '' : rest)
  }
  return isSettled
}

function isEndTrimmed(placed: PlacedText): boolean {
  let isTrimmed = true
  for (const leaf of after(placed)) {
    if (heeds(leaf, 'end')) isTrimmed = false
    if (leaf.node.kind === 'trim' && leaf.node.left) return true
  }
  return isTrimmed
}

function openingToStrip(placed: PlacedText): number {
  const { text } = placed.node
  const end = /^[^\r\n]*(?:\r\n|[\r\n])/.exec(text)?.[0].length ?? 0
  if (end === 0 && !placed.isAtLineStart) return 0
  if (!isBlank(text.slice(0, end))) return 0
  for (const leaf of before(placed)) if (heeds(leaf, 'end')) return 0
  return end
}

function trailingToStrip(placed: PlacedText): number {
  const { text } = placed.node
  const line = text.search(/[^\r\n]*$/)
  if (line === 0 && !placed.isAtLineStart) return 0
  if (!isBlank(text.slice(line))) return 0
  for (const leaf of after(placed)) if (heeds(leaf, 'beginning')) return 0
  return text.length - line
}

/** Whether a leaf writes output at its end or its beginning, so that the whitespace beside it stays. */
function heeds(leaf: Placed, side: 'end' | 'beginning'): boolean {
  if (leaf.node.kind === 'value') return true
  if (!isText(leaf) || isIgnorable(leaf)) return false
  const { text } = leaf.node
  const found = side === 'beginning' ? /^[^\S\r\n]*([\r\n])/.exec(text) : /([\r\n])[^\S\r\n]*$/.exec(text)
  return !found
}
