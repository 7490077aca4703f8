import { TemplateFault } from '../fault.ts'
import { assign } from './assignments.ts'
import { call } from './calls.ts'
import { foreach, items, list, sep } from './lists.ts'
import { macro, nested, returning } from './macros.ts'
import { substituted } from './substitution.ts'
import type { Directive, Opened, Reader } from './reader.ts'
import type { Expression, Node, NodeBody } from './tree.ts'

const conditional: Directive = (reader, part, expressions) => {
  const branches: Node[] = []
  const branch = (from: Opened, condition: Expression | null) => {
    const children = reader.content()
    branches.push(reader.node({ kind: 'branch', condition }, from, children.at(-1) ?? from, children))
  }
  const condition = expressions.expression()
  expressions.end(false)
  branch(part, condition)
  for (let tag = reader.takeOpen('elseif'); tag; tag = reader.takeOpen('elseif')) {
    const other = reader.expressions(tag.tokens)
    const next = other.expression()
    other.end(true)
    branch(tag, next)
  }
  const otherwise = reader.takeOpen('else')
  if (otherwise) branch(otherwise, null)
  return reader.node({ kind: 'if' }, part, reader.close('if', part), branches)
}

const attempt: Directive = (reader, part) => {
  const tried = reader.content()
  const tag = reader.takeOpen('recover')
  if (!tag) throw new TemplateFault(part.at, '#attempt has no #recover', 'syntax')
  const recovered = reader.content()
  const next = reader.peek()
  const end = reader.close(next?.kind === 'close' && next.name === 'recover' ? 'recover' : 'attempt', part)
  return reader.node({ kind: 'attempt' }, part, end, [
    reader.node(
      { kind: 'mixed' },
      tried[0] ? { ...part, at: tried[0].at } : part,
      tried.at(-1) ?? part,
      tried,
    ),
    reader.node({ kind: 'recover' }, tag, recovered.at(-1) ?? tag, recovered),
  ])
}

const switching: Directive = (reader, part, expressions) => {
  const value = expressions.expression()
  expressions.end(false)
  const children = reader.loops.switching(() => cases(reader))
  return reader.node({ kind: 'switch', value }, part, reader.close('switch', part), children)
}

/** Whitespace and comments before the first case are not written. */
function cases(reader: Reader): Node[] {
  const wrong = reader
    .content()
    .find((node) => node.kind !== 'comment' && !(node.kind === 'text' && /^\s*$/.test(node.text)))
  if (wrong) throw new TemplateFault(wrong.at, 'stands before the first #case', 'syntax')
  const nodes: Node[] = []
  let defaults = 0
  for (let tag = reader.takeOpen('case', 'default'); tag; tag = reader.takeOpen('case', 'default')) {
    if (tag.name === 'default') defaults += 1
    if (defaults > 1) throw new TemplateFault(tag.at, 'is a second #default', 'syntax')
    const value = tag.name === 'case' ? only(reader, tag, false) : null
    const children = reader.content()
    nodes.push(reader.node({ kind: 'case', value }, tag, tag, children))
  }
  return nodes
}

/** The one expression of a tag. */
function only(reader: Reader, tag: Opened, mayBeEmpty: boolean): Expression {
  const expressions = reader.expressions(tag.tokens)
  const value = expressions.expression()
  expressions.end(mayBeEmpty)
  return value
}

const escape: Directive = (reader, part, expressions) => {
  const name = expressions.takeName()
  if (!expressions.takeKeyword('as')) expressions.fail('as is missing')
  const by = expressions.expression()
  expressions.end(false)
  const outer = reader.escapes.at(-1)
  reader.escapes.push({ name, by: outer ? substituted(outer.by, outer.name, by) : by })
  const children = reader.content()
  reader.escapes.pop()
  return reader.node({ kind: 'escape' }, part, reader.close('escape', part), children)
}

const noEscape: Directive = (reader, part) => {
  const escaping = reader.escapes.pop()
  if (!escaping) throw new TemplateFault(part.at, '#noescape is not in #escape', 'syntax')
  const children = reader.content()
  reader.escapes.push(escaping)
  return reader.node({ kind: 'no escape' }, part, reader.close('noescape', part), children)
}

const compress: Directive = (reader, part) => {
  const children = reader.content()
  return reader.node({ kind: 'compress' }, part, reader.close('compress', part), children)
}

const SETTINGS: ReadonlySet<string> = new Set([
  'number_format',
  'boolean_format',
  'date_format',
  'time_format',
  'datetime_format',
])

const setting: Directive = (reader, part, expressions) => {
  const { at } = expressions.token
  const name = expressions.takeName()
  if (!SETTINGS.has(name)) expressions.fail(`${name} is not a setting of templates`, at)
  if (!expressions.takeMark('=')) expressions.fail('= is missing')
  const value = expressions.expression()
  expressions.end(true)
  return reader.node({ kind: 'setting', name, value }, part, part)
}

const stop: Directive = (reader, part) => {
  const message = part.tokens.length > 0 ? only(reader, part, true) : null
  return reader.node({ kind: 'stop', message }, part, part)
}

const include: Directive = (reader, part) =>
  reader.node({ kind: 'include', name: only(reader, part, true) }, part, part)

const jump =
  (kind: 'break' | 'continue'): Directive =>
  (reader, part) => {
    if (kind === 'break' ? !reader.loops.canBreak : !reader.loops.canContinue)
      throw new TemplateFault(part.at, `#${kind} is in nothing that it could leave`, 'syntax')
    return bare({ kind })(reader, part)
  }

const bare =
  (body: NodeBody) =>
  (reader: Reader, part: Opened): Node =>
    reader.node(body, part, part)

/** How directives are read, by their names. Those that continue another one, such as `else`, are not here. */
export const directives: { readonly named: ReadonlyMap<string, Directive>; readonly call: typeof call } = {
  call,
  named: new Map<string, Directive>([
    ['if', conditional],
    ['list', list],
    ['foreach', foreach],
    ['items', items],
    ['sep', sep],
    ['attempt', attempt],
    ['switch', switching],
    ['assign', assign('namespace')],
    ['local', assign('local')],
    ['global', assign('global')],
    ['macro', macro('macro')],
    ['function', macro('function')],
    ['nested', nested],
    ['return', returning],
    ['escape', escape],
    ['noescape', noEscape],
    ['compress', compress],
    ['setting', setting],
    ['stop', stop],
    ['include', include],
    ['break', jump('break')],
    ['continue', jump('continue')],
    ['t', bare({ kind: 'trim', left: true, right: true })],
    ['lt', bare({ kind: 'trim', left: true, right: false })],
    ['rt', bare({ kind: 'trim', left: false, right: true })],
    ['nt', bare({ kind: 'trim', left: false, right: false })],
  ]),
}
