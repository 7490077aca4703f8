import { TemplateFault } from '../fault.ts'
import type { Assignment, Node, NodeOf, Scope } from '../syntax/tree.ts'
import { Decimal } from '../values/decimal.ts'
import { Text } from '../values/value.ts'
import { callMacro, runNested } from './calls.ts'
import { booleanOf, numberOf, textOf } from './coercion.ts'
import { compress } from './compress.ts'
import { numeric } from './evaluate.ts'
import { runItems, runList } from './lists.ts'
import { fail } from './machine.ts'
import type { Leaving, Machine } from './machine.ts'
import { arithmetic, compared, sum } from './operations.ts'
import { piecesOf } from './output.ts'
import { present } from './presence.ts'

/** Runs elements, one after the other, until one leaves them. */
export function runAll(machine: Machine, nodes: readonly Node[]): Leaving | undefined {
  for (const node of nodes) {
    const leaving = runNode(machine, node)
    if (leaving) return leaving
  }
  return undefined
}

function runNode(machine: Machine, node: Node): Leaving | undefined {
  machine.limits.step(node.at)
  switch (node.kind) {
    case 'text':
      machine.sink.text(node.text, node.at)
      return undefined
    case 'value':
      write(machine, node)
      return undefined
    case 'if':
      return branched(machine, node)
    case 'branch':
      return isChosen(machine, node) ? machine.run(node.children) : undefined
    case 'list':
      return runList(machine, node).leaving
    case 'assign':
      for (const assignment of node.assignments) assign(machine, node.scope, assignment)
      return undefined
    default:
      return runOther(machine, node)
  }
}

type Other = Exclude<Node, { readonly kind: 'text' | 'value' | 'if' | 'branch' | 'list' | 'assign' }>

function runOther(machine: Machine, node: Other): Leaving | undefined {
  switch (node.kind) {
    case 'listing':
      return listing(machine, node)
    case 'items':
      return runItems(machine, node)
    case 'sep':
      return separated(machine, node)
    case 'capture':
      return captured(machine, node)
    case 'call':
      return callMacro(machine, node)
    case 'nested':
      return runNested(machine, node)
    case 'return':
      machine.returned = node.value ? present(machine, node.value) : undefined
      return 'return'
    case 'break':
    case 'continue':
      return node.kind
    default:
      return runRare(machine, node)
  }
}

type Rare = Exclude<
  Other,
  {
    readonly kind:
      | 'listing'
      | 'items'
      | 'sep'
      | 'capture'
      | 'call'
      | 'nested'
      | 'return'
      | 'break'
      | 'continue'
  }
>

function runRare(machine: Machine, node: Rare): Leaving | undefined {
  switch (node.kind) {
    case 'switch':
      return switched(machine, node)
    case 'attempt':
      return attempted(machine, node)
    case 'compress':
      return compress(machine, node)
    case 'setting':
      set(machine, node)
      return undefined
    case 'stop':
      return stopped(machine, node)
    case 'include':
      return machine.include(textOf(machine, machine.evaluate(node.name), node.at).text, node.at)
    case 'macro':
      machine.define(node)
      return undefined
    case 'comment':
    case 'trim':
      return undefined
    default:
      return machine.run(node.children)
  }
}

function write(machine: Machine, { value: expression, digits, at }: NodeOf<'value'>): void {
  if (digits) {
    const number = numberOf(machine.evaluate(expression), expression.at)
    machine.sink.value(new Text(numeric(number, digits), false, number.rounded(digits[1], 'half even')), at)
    return
  }
  const value = machine.evaluate(expression)
  if (!machine.isSql) {
    const text = textOf(machine, value, expression.at)
    machine.sink.value(text, at)
    return
  }
  if (value === undefined && expression.kind === 'variable' && machine.isNullParameter(expression.name)) {
    const values = [{ type: 'string', value: null, text: '' } as const]
    machine.sink.piece({ kind: 'value', values, isList: false, at, snippet: machine.snippet })
  } else for (const piece of piecesOf(machine, value, at)) machine.sink.piece(piece)
}

function isChosen(machine: Machine, { condition }: NodeOf<'branch'>): boolean {
  return condition === null || booleanOf(machine.evaluate(condition), condition.at)
}

function branched(machine: Machine, { children }: NodeOf<'if'>): Leaving | undefined {
  const chosen = children.find((branch) => branch.kind === 'branch' && isChosen(machine, branch))
  return chosen && machine.run(chosen.children)
}

function listing(machine: Machine, { children }: NodeOf<'listing'>): Leaving | undefined {
  const [list, otherwise] = children
  if (list?.kind !== 'list') return undefined
  const { hasTurns, leaving } = runList(machine, list)
  return hasTurns ? leaving : otherwise && machine.run(otherwise.children)
}

function separated(machine: Machine, node: NodeOf<'sep'>): Leaving | undefined {
  for (let local = machine.locals; local; local = local.outer)
    if (local.loop) return local.loop.hasNext ? machine.run(node.children) : undefined
  return fail(node.at, '#sep is not in a list')
}

function assign(machine: Machine, scope: Scope, { name, operator, value, at }: Assignment): void {
  if (operator === '=') {
    if (value) machine.assign(scope, name, present(machine, value))
    return
  }
  const before = machine.lookupIn(scope, name)
  if (before === undefined) fail(at, `${name} has no value to change`)
  const by = value ? present(machine, value) : Decimal.of(1)
  if (!value) numberOf(before, at)
  machine.assign(
    scope,
    name,
    operator === '+' ? sum(machine, before, by, at) : arithmetic(operator, before, by, at),
  )
}

function captured(machine: Machine, node: NodeOf<'capture'>): Leaving | undefined {
  const { value, leaving } = machine.capture(() => machine.run(node.children))
  if (!leaving) machine.assign(node.scope, node.name, value)
  return leaving
}

function switched(machine: Machine, { value: expression, children }: NodeOf<'switch'>): Leaving | undefined {
  const value = present(machine, expression)
  const cases = children.filter((child) => child.kind === 'case')
  const isWanted = (wanted: NodeOf<'case'>) =>
    wanted.value !== null && compared('==', value, machine.evaluate(wanted.value), wanted.at)
  const first = cases.findIndex(isWanted)
  const chosen = first < 0 ? cases.filter((child) => child.value === null) : cases.slice(first)
  const leaving = chosen.reduce<Leaving | undefined>(
    (left, child) => left ?? machine.run(child.children),
    undefined,
  )
  // FreeMarker leaves a switch by `continue`, too.
  return leaving === 'return' ? leaving : undefined
}

/** The output of an attempt is dropped when it fails. */
function attempted(machine: Machine, { children }: NodeOf<'attempt'>): Leaving | undefined {
  const [tried, recovery] = children
  const { frame, locals, sink, limits } = machine
  const { depth } = limits
  try {
    const { value, leaving } = machine.capture(() => machine.run(tried?.children ?? []))
    machine.write(value)
    return leaving
  } catch (error) {
    if (!(error instanceof TemplateFault) || error.code === 'limit') throw error
    machine.frame = frame
    machine.locals = locals
    machine.sink = sink
    limits.returnTo(depth)
    return machine.run(recovery?.children ?? [])
  }
}

function set(machine: Machine, { name, value, at }: NodeOf<'setting'>): void {
  const format = textOf(machine, present(machine, value), at)
  const { text } = format
  if (name === 'boolean_format' && text !== 'c' && !text.includes(','))
    fail(at, 'boolean_format is c, or two words with a comma between them')
  machine.settings.set(name, format)
}

function stopped(machine: Machine, { message, at }: NodeOf<'stop'>): never {
  const text = message ? textOf(machine, machine.evaluate(message), at).text : ''
  throw new TemplateFault(at, text === '' ? 'the template stops here' : text, 'stopped')
}
