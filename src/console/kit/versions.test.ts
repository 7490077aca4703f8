import { expect, test } from 'bun:test'

import { changedFields, differences, merged } from './versions.ts'

const base = { name: 'Shop', limit: '99.5', days: ['monday'] }

const textOf = (version: typeof base, field: keyof typeof base) => String(version[field])

test('both versions of a conflict show only the fields in which they differ', () => {
  const theirs = { ...base, name: 'A', limit: '99' }
  const mine = { ...base, name: 'B' }
  expect(differences({ base, theirs, mine }, textOf)).toEqual([
    { field: 'name', theirs: 'A', mine: 'B', isBoth: true },
    { field: 'limit', theirs: '99', mine: '99.5', isBoth: false },
  ])
})

test('the same change of both users does not conflict', () => {
  const both = { ...base, name: 'A' }
  expect(differences({ base, theirs: both, mine: both }, textOf)).toEqual([
    { field: 'name', theirs: 'A', mine: 'A', isBoth: false },
  ])
})

test('the user keeps the changed fields and gets the others from the other version', () => {
  const mine = { ...base, days: ['monday', 'friday'] }
  expect(changedFields(base, mine)).toEqual({ days: ['monday', 'friday'] })
  expect(merged(base, { ...base, name: 'A', days: [] }, mine)).toEqual({ ...mine, name: 'A' })
})
