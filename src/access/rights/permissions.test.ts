import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { ROLES } from '../../context.ts'
import type { Role } from '../../context.ts'
import { idsOf, permissionsOf, readable, readableTops, sharedRights, visible } from './permissions.ts'
import type { Granted, Located, Rights } from './permissions.ts'

const grantOf = (letters: string): Granted => ({
  write: letters.includes('w'),
  execute: letters.includes('x'),
  maintain: letters.includes('m'),
})

/** `7` is who asks; grants are by object. */
const rightsOf = (role: Role, grants: Readonly<Record<number, string>>): Rights => ({
  userId: 7,
  role,
  granted: new Map(Object.entries(grants).map(([id, letters]) => [Number(id), grantOf(letters)])),
  ways: [],
})

function lettersOf(rights: Rights, object: Located): string {
  const { read, write, execute, maintain } = permissionsOf(rights, object)
  return `${read ? 'r' : ''}${write ? 'w' : ''}${execute ? 'x' : ''}${maintain ? 'm' : ''}`
}

describe('what a role makes of everything being granted', () => {
  const rows: [Role, type: string, runBy: number, expected: string][] = [
    ['administrator', 'group', 0, 'rwxm'],
    ['editor', 'job', 9, 'rwxm'],
    ['collector', 'job', 7, 'rxm'],
    ['collector', 'device', 0, 'rxm'],
    ['collector', 'job', 9, 'rm'],
    ['collector', 'group', 0, 'rm'],
    ['collector', 'slo', 0, 'rm'],
    ['Data_Editor', 'job', 7, 'rm'],
    ['dashboard_viewer', 'device', 0, 'rm'],
  ]
  for (const [role, type, runBy, expected] of rows) {
    test(`${role} has ${expected} on a ${type} that collector ${runBy} runs`, () => {
      expect(lettersOf(rightsOf(role, { 1: 'wxm' }), { type, runBy, path: '/1/5/' })).toBe(expected)
    })
  }
})

describe('what is granted where', () => {
  const rows: [title: string, grants: Readonly<Record<number, string>>, path: string, expected: string][] = [
    ['nothing', {}, '/1/5/', ''],
    ['on the object', { 5: '' }, '/1/5/', 'r'],
    ['above it', { 1: 'w' }, '/1/5/9/', 'rwm'],
    ['far above it', { 1: 'x' }, '/1/5/9/12/', 'rx'],
    ['below it', { 9: 'wxm' }, '/1/5/', ''],
    ['beside it', { 6: 'wxm' }, '/1/5/', ''],
    ['on an id that begins alike', { 55: 'wxm', 10: 'wxm' }, '/1/5/', ''],
    ['on the object and above it', { 5: 'x', 1: 'm' }, '/1/5/', 'rxm'],
    ['less on the object than above it', { 5: '', 1: 'w' }, '/1/5/', 'rwm'],
    ['maintaining alone', { 5: 'm' }, '/1/5/', 'rm'],
  ]
  for (const [title, grants, path, expected] of rows) {
    test(`${title}: ${JSON.stringify(grants)} on ${path} is ${expected || 'nothing'}`, () => {
      expect(lettersOf(rightsOf('editor', grants), { type: 'job', runBy: 0, path })).toBe(expected)
    })
  }

  test('is of no account for administrators', () => {
    expect(lettersOf(rightsOf('administrator', {}), { type: 'job', runBy: 9, path: '/1/5/' })).toBe('rwxm')
    expect(readableTops(rightsOf('administrator', {}))).toBeNull()
  })
})

describe('rights', () => {
  const grants = fc.dictionary(
    fc.constantFrom('1', '2', '3', '4', '5'),
    fc.constantFrom('', 'w', 'x', 'm', 'wxm'),
  )
  const paths = fc
    .uniqueArray(fc.constantFrom(2, 3, 4, 5, 6), { maxLength: 4 })
    .map((ids) => `/${[1, ...ids].join('/')}/`)
  const objects = fc.record({
    type: fc.constantFrom('group', 'device', 'job'),
    runBy: fc.nat(9),
    path: paths,
  })

  test('an object has at least the rights of the object above it, and every right includes reading', () => {
    fc.assert(
      fc.property(grants, objects, fc.constantFrom(...ROLES), (given, object, role) => {
        const rights = rightsOf(role, given)
        const here = lettersOf(rights, object)
        expect(here === '' || here.startsWith('r')).toBe(true)
        const below = lettersOf(rights, { ...object, path: `${object.path}77/` })
        for (const letter of here) expect(below).toContain(letter)
      }),
    )
  })

  test('what may be read is what is at or below one of the tops', () => {
    fc.assert(
      fc.property(grants, objects, fc.constantFrom(...ROLES), (given, object, role) => {
        const rights = rightsOf(role, given)
        const tops = readableTops(rights)
        const isBelow = tops === null || idsOf(object.path).some((id) => tops.includes(id))
        expect(permissionsOf(rights, object).read).toBe(isBelow)
      }),
    )
  })

  test('no condition is asked of those who read the whole tree', () => {
    const listed = () => 'list'
    for (const condition of [readable, visible]) {
      expect(condition(rightsOf('editor', { 1: '' }), 'o', listed)).toBe('1')
      expect(condition(rightsOf('administrator', {}), 'o', listed)).toBe('1')
      expect(condition(rightsOf('editor', { 5: '' }), 'o', listed)).toContain('o.path')
    }
  })
})

describe('the rights that several users have in common', () => {
  const OBJECTS = [
    { id: 1, path: '/1/' },
    { id: 5, path: '/1/5/' },
    { id: 6, path: '/1/6/' },
    { id: 9, path: '/1/5/9/' },
  ]
  const rows: [
    a: Readonly<Record<number, string>>,
    b: Readonly<Record<number, string>>,
    Record<string, string>,
  ][] = [
    [{ 1: 'wxm' }, { 5: 'x' }, { '/1/': '', '/1/5/': 'rx', '/1/5/9/': 'rx', '/1/6/': '' }],
    [{ 5: 'w' }, { 6: 'w' }, { '/1/5/': '', '/1/6/': '', '/1/5/9/': '' }],
    [
      { 5: '', 9: 'w' },
      { 1: 'm', 9: 'x' },
      { '/1/5/': 'r', '/1/5/9/': 'rm', '/1/6/': '' },
    ],
    [{ 5: 'x' }, { 5: 'x', 9: 'w' }, { '/1/5/': 'rx', '/1/5/9/': 'rx' }],
  ]
  for (const [a, b, expected] of rows) {
    test(`${JSON.stringify(a)} and ${JSON.stringify(b)}`, () => {
      for (const pair of [
        [a, b],
        [b, a],
      ] as const) {
        const shared = sharedRights([rightsOf('editor', pair[0]), rightsOf('editor', pair[1])], OBJECTS)
        for (const [path, letters] of Object.entries(expected))
          expect({ path, letters: lettersOf(shared, { type: 'job', runBy: 0, path }) }).toEqual({
            path,
            letters,
          })
      }
    })
  }

  test('a role that changes nothing leaves reading and maintaining', () => {
    for (const roles of [
      ['editor', 'Data_Editor'],
      ['Data_Editor', 'editor'],
    ] as const) {
      const [a, b] = roles.map((role) => rightsOf(role, { 5: 'wxm' })) as [Rights, Rights]
      const shared = sharedRights([a, b], OBJECTS)
      expect(lettersOf(shared, { type: 'job', runBy: 0, path: '/1/5/' })).toBe('rm')
      expect(readableTops(shared)).toEqual([5, 9])
      expect(shared.ways).toEqual([1, 5])
    }
  })
})
