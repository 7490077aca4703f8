import { TemplateFault } from '../fault.ts'
import type { Expression } from './tree.ts'

type Kind = Expression['kind']
const NOT_NUMBERS: readonly Kind[] = ['hash', 'sequence', 'text', 'filled text', 'boolean']
const NOT_BOOLEANS: readonly Kind[] = ['hash', 'sequence', 'text', 'filled text', 'number']

function refuse(kinds: readonly Kind[], ...operands: readonly Expression[]): void {
  for (const { kind, at } of operands)
    if (kinds.includes(kind)) throw new TemplateFault(at, `a ${kind} cannot stand here`, 'syntax')
}

/** Refuses literals of a wrong type where a template is parsed, also in parts that never run. */
export const literal = {
  refuse,
  only(type: 'number' | 'boolean', ...operands: readonly Expression[]): void {
    refuse(type === 'number' ? NOT_NUMBERS : NOT_BOOLEANS, ...operands)
  },
}
