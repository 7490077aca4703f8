import type { Node } from './syntax/tree.ts'
import { stringAt } from './syntax/tokens.ts'

/** A call `ref("name")`. */
export type Reference = {
  readonly name: string
  /** Its first character in the text, from 0. */
  readonly at: number
  /** The place of the name with its quotes. */
  readonly start: number
  readonly end: number
}

export type References = {
  /** The references in the order of their places. */
  readonly calls: readonly Reference[]
  /** The places of other uses of `ref`, whose names are not known before a run. */
  readonly computed: readonly number[]
}

/** The calls of `ref` in a template, also in branches that no run takes. */
export function referencesIn({
  text,
  nodes,
}: {
  readonly text: string
  readonly nodes: readonly Node[]
}): References {
  const calls = new Map<number, Reference>()
  const computed = new Set<number>()
  const literals = new Set<object>()
  visit(nodes, (part) => {
    const called = calleeOf(part)
    const literal = called && stringAt(text, called.argument.at)
    if (called && literal?.text === called.argument.text) {
      const { at } = called.callee
      calls.set(called.argument.at, { name: literal.text, at, start: called.argument.at, end: literal.end })
      literals.add(called.callee)
    } else if (isRef(part) && !literals.has(part)) computed.add(part.at)
  })
  return { calls: [...calls.values()].sort((one, other) => one.start - other.start), computed: [...computed] }
}

type Variable = { readonly kind: 'variable'; readonly name: string; readonly at: number }
type Literal = { readonly kind: 'text'; readonly text: string; readonly at: number }

const isRef = (part: object): part is Variable =>
  'kind' in part && part.kind === 'variable' && 'name' in part && part.name === 'ref'

const isLiteral = (part: unknown): part is Literal =>
  typeof part === 'object' && part !== null && 'kind' in part && part.kind === 'text' && 'at' in part

/** The parts of a call of `ref` with a literal name. A macro has names of its content, a function has none. */
function calleeOf(part: object): { readonly callee: Variable; readonly argument: Literal } | undefined {
  if (!('kind' in part) || part.kind !== 'call' || 'bodyNames' in part) return undefined
  if (!('of' in part) || !('args' in part) || !Array.isArray(part.args)) return undefined
  const argument: unknown = part.args[0]
  const callee: unknown = part.of
  if (typeof callee !== 'object' || callee === null || !isRef(callee) || !isLiteral(argument))
    return undefined
  return { callee, argument }
}

/** Calls `see` for each node and expression, a call before its parts. */
function visit(part: unknown, see: (part: object) => void): void {
  const left = [part]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null) continue
    see(next)
    const parts: unknown[] = next instanceof Map ? [...next.values()] : Object.values(next)
    left.push(...parts.reverse())
  }
}

/** The text with another name in place of a name, in its calls of `ref`. */
export function renamedIn(
  text: string,
  { calls }: References,
  { matches, to }: { readonly matches: (name: string) => boolean; readonly to: string },
): string {
  let result = ''
  let end = 0
  for (const call of calls.filter(({ name }) => matches(name))) {
    result += text.slice(end, call.start) + literalOf(to, text.charAt(call.start))
    end = call.end
  }
  return result + text.slice(end)
}

/** A string of templates that means this text. */
function literalOf(text: string, before: string): string {
  const quote = before === "'" ? "'" : '"'
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll(/([$#])\{/g, '$1\\{')
    .replaceAll('[=', '[\\=')
  return quote + escaped + quote
}
