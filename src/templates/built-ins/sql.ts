import { TemplateFault } from '../fault.ts'
import { Fragment, Text } from '../values/value.ts'
import { plainOf } from '../run/output.ts'
import { textOf } from '../run/coercion.ts'
import type { BuiltIn } from './call.ts'

/** SQL as it is: only of strings that the template or the caller wrote. */
const noEscape: BuiltIn = (call) => {
  const { machine, target, at } = call
  if (target instanceof Fragment) return target
  const text = textOf(machine, target, at)
  if (!machine.isSql) return text
  if (!(target instanceof Text) || target.of !== null) return literal(call)
  if (text.isTainted)
    throw new TemplateFault(at, '?no_esc is of a string that comes from a parameter', 'tainted')
  return new Fragment([{ kind: 'text', text: text.text, at, snippet: machine.snippet }])
}

const identifier: BuiltIn = (call) => {
  const { machine, target, at } = call
  const { text } = textOf(machine, target, at)
  if (!machine.isSql) return call.fail('is only for SQL')
  return new Fragment([{ kind: 'identifier', name: text, at, snippet: machine.snippet }])
}

const literal: BuiltIn = (call) => {
  const { machine, target, at } = call
  if (!machine.isSql) return call.fail('is only for SQL')
  return new Fragment([
    { kind: 'literal', value: plainOf(machine, target, at), at, snippet: machine.snippet },
  ])
}

export const SQL: Readonly<Record<string, BuiltIn>> = {
  no_esc: noEscape,
  sql_identifier: identifier,
  sql_literal: literal,
}
