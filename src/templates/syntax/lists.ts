import { TemplateFault } from '../fault.ts'
import type { ExpressionParser } from './expressions.ts'
import type { Directive, Opened, Reader } from './reader.ts'
import type { Node } from './tree.ts'

/** The loop variables after `as`. */
function loopNames(expressions: ExpressionParser, part: Opened): readonly string[] {
  const names = [expressions.takeName()]
  if (expressions.takeMark(',')) names.push(expressions.takeName())
  if (names[0] === names[1]) throw new TemplateFault(part.at, 'both loop variables have one name', 'syntax')
  return names
}

/** `<#list items as item>`, also with a key and a value, or with `items` in it. */
export const list: Directive = (reader, part, expressions) => {
  const of = expressions.expression()
  const names = expressions.takeKeyword('as') ? loopNames(expressions, part) : []
  expressions.end(false)
  const children = reader.loops.within({ names, kind: 'list' }, (loop) => {
    const content = reader.content()
    if (names.length === 0 && loop.kind !== 'items')
      throw new TemplateFault(part.at, '#list needs a loop variable after as, or #items', 'syntax')
    return content
  })
  return closeList(reader, part, (end) => reader.node({ kind: 'list', of, names }, part, end, children))
}

function closeList(reader: Reader, part: Opened, listed: (end: { readonly end: number }) => Node): Node {
  const tag = reader.takeOpen('else')
  const otherwise = tag ? reader.content() : []
  const end = reader.close('list', part)
  if (!tag) return listed(end)
  const fallback = reader.node({ kind: 'else' }, tag, otherwise.at(-1) ?? tag, otherwise)
  return reader.node({ kind: 'listing' }, part, end, [listed(end), fallback])
}

export const foreach: Directive = (reader, part, expressions) => {
  const name = expressions.takeName()
  if (!expressions.takeKeyword('in')) expressions.fail('in is missing')
  const of = expressions.expression()
  expressions.end(false)
  const children = reader.loops.within({ names: [name], kind: 'foreach' }, () => reader.content())
  return reader.node({ kind: 'list', of, names: [name] }, part, reader.close('foreach', part), children)
}

export const items: Directive = (reader, part, expressions) => {
  if (!expressions.takeKeyword('as')) expressions.fail('as is missing')
  const names = loopNames(expressions, part)
  expressions.end(false)
  const loop = reader.loops.innermost
  if (!loop || loop.names.length > 0)
    throw new TemplateFault(part.at, '#items is not in a #list without loop variable', 'syntax')
  loop.names = names
  loop.kind = 'items'
  const children = reader.loops.repeating(() => reader.content())
  loop.names = []
  return reader.node({ kind: 'items', names }, part, reader.close('items', part), children)
}

export const sep: Directive = (reader, part) => {
  if (!reader.loops.innermost) throw new TemplateFault(part.at, '#sep is not in a list', 'syntax')
  const children = reader.content()
  const next = reader.peek()
  const end =
    next?.kind === 'close' && next.name === 'sep' ? reader.close('sep', part) : (children.at(-1) ?? part)
  return reader.node({ kind: 'sep' }, part, end, children)
}
