import { expect, test } from 'bun:test'

import { rowsOf } from './branches.ts'
import type { Node } from './branches.ts'
import { jump, moveOf } from './tree-keys.ts'

const node = (id: number, type: Node['type'], name: string, children?: Node[]): Node => ({
  id,
  type,
  name,
  hasChildren: type === 'group' || type === 'device',
  ...(children ? { children } : {}),
})
const pump = node(3, 'device', 'Pump')
const sluice = node(4, 'device', 'Sluice')
const level = node(6, 'slo', 'Flood')
const plant = node(2, 'group', 'Plant', [pump, sluice, level])
const heat = node(5, 'job', 'Heat')
const known = new Map([
  [1, node(1, 'group', 'root', [plant])],
  [2, plant],
  [3, { ...pump, children: [heat] }],
])
const namesOf = (open: readonly number[]): readonly string[] =>
  rowsOf(known, new Set(open)).map((row) => `${row.level} ${row.node.name} ${row.position}/${row.siblings}`)

test('the rows are the root and what is below open objects', () => {
  expect(namesOf([])).toEqual(['1 root 1/1'])
  expect(namesOf([1, 2, 3])).toEqual([
    '1 root 1/1',
    '2 Plant 1/1',
    '3 Pump 1/3',
    '4 Heat 1/1',
    '3 Sluice 2/3',
    '3 Flood 3/3',
  ])
  // An object that is open below a closed one is not shown.
  expect(namesOf([1, 3])).toEqual(['1 root 1/1', '2 Plant 1/1'])
  expect(rowsOf(new Map(), new Set([1]))).toEqual([])
})

test('service levels and jobs cannot be opened', () => {
  const rows = rowsOf(known, new Set([1, 2, 3]))
  expect(rows.map(({ isOpen }) => isOpen)).toEqual([true, true, true, null, false, null])
})

test('arrows walk, open and close; the asterisk opens siblings', () => {
  const rows = rowsOf(known, new Set([1, 2, 3]))
  expect(moveOf('ArrowDown', rows, 5)).toEqual({ go: 5 })
  expect(moveOf('ArrowUp', rows, 2)).toEqual({ go: 1 })
  expect(moveOf('End', rows, 0)).toEqual({ go: 5 })
  expect(moveOf('Home', rows, 4)).toEqual({ go: 0 })
  expect(moveOf('ArrowRight', rows, 2)).toEqual({ go: 3 })
  expect(moveOf('ArrowRight', rows, 4)).toEqual({ open: [4] })
  expect(moveOf('ArrowRight', rows, 3)).toBeNull()
  expect(moveOf('ArrowLeft', rows, 3)).toEqual({ go: 2 })
  expect(moveOf('ArrowLeft', rows, 2)).toEqual({ close: 3 })
  expect(moveOf('ArrowLeft', rows, 4)).toEqual({ go: 1 })
  expect(moveOf('*', rows, 2)).toEqual({ open: [4] })
  expect(moveOf('x', rows, 2)).toBeNull()
})

test('letters jump to the next name that begins with them', () => {
  const names = ['root', 'Plant', 'Pump', 'Heat', 'Sluice']
  expect(jump(names, 1, 'p')).toBe(2)
  expect(jump(names, 2, 'p')).toBe(1)
  expect(jump(names, 2, 'pu')).toBe(2)
  expect(jump(names, 0, 'q')).toBe(-1)
})
