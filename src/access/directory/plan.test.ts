import { describe, expect, test } from 'bun:test'

import * as fc from 'fast-check'

import type { Person, Unusable } from './people.ts'
import { goneOf, planOf } from './plan.ts'
import type { StoredUser, Rules } from './plan.ts'

const NO_RULES: Rules = { groups: [], userGroupIds: new Map() }

const person = (id: string, more: Partial<Person> = {}): Person => ({
  dn: `uid=${id}`,
  directoryId: id,
  username: id,
  fullname: '',
  email: '',
  phone: '',
  isDisabled: false,
  rules: [],
  ...more,
})

const user = (id: number, username: string, more: Partial<StoredUser> = {}): StoredUser => ({
  id,
  type: 'LDAP_MANAGED',
  directoryId: username,
  isDisabled: false,
  version: 1,
  userGroupIds: [],
  username,
  fullname: '',
  email: '',
  phone: '',
  role: 'dashboard_viewer',
  ...more,
})

const ADMIN = user(1, 'admin', { type: 'local', directoryId: null, role: 'administrator' })

describe('a plan', () => {
  test.each<
    readonly [
      string,
      readonly (Person | Unusable)[],
      readonly StoredUser[],
      readonly string[],
      readonly string[],
    ]
  >([
    ['makes users of people', [person('a')], [], ['create'], []],
    ['leaves who is as they should be', [person('a')], [user(2, 'a')], [], []],
    ['renames', [person('a', { username: 'b' })], [user(2, 'a')], ['update'], []],
    ['disables who is gone', [], [user(2, 'a')], ['disable'], []],
    ['disables who is disabled there', [person('a', { isDisabled: true })], [user(2, 'a')], ['disable'], []],
    ['makes no user of a person that is disabled there', [person('a', { isDisabled: true })], [], [], []],
    ['leaves who is gone already', [], [user(2, 'a', { isDisabled: true })], [], []],
    ['lets back who is there again', [person('a')], [user(2, 'a', { isDisabled: true })], ['update'], []],
    [
      'leaves local users',
      [person('a')],
      [user(2, 'a', { type: 'local', directoryId: null })],
      [],
      ['has the name of another user: a'],
    ],
    [
      'leaves shared users',
      [person('a')],
      [user(2, 'a', { type: 'shared', directoryId: null })],
      [],
      ['has the name of another user: a'],
    ],
    ['takes who was entered by hand', [person('a')], [user(2, 'a', { directoryId: null })], ['update'], []],
    [
      'does not take them for a second person',
      [person('x', { username: 'a' })],
      [user(2, 'a', { directoryId: null }), user(3, 'x')],
      ['disable'],
      ['has the name of another user: a'],
    ],
    [
      'gives no name to two people',
      [person('a'), person('b', { username: 'a' })],
      [],
      ['create'],
      ['has the name of another user: a'],
    ],
    [
      'gives no id to two people',
      [person('a'), person('a', { username: 'b' })],
      [],
      ['create'],
      ['has the id of another entry'],
    ],
    [
      'leaves a name to who gives it up in it',
      [person('a', { username: 'b' }), person('c', { username: 'a' })],
      [user(2, 'a')],
      ['update'],
      ['has the name of another user: a'],
    ],
    [
      'does not disable who is there and cannot be read',
      [{ dn: 'x', directoryId: 'a', fault: 'odd' }],
      [user(2, 'a')],
      [],
      ['odd'],
    ],
  ])('%s', (_, ...[found, known, kinds, failures]) => {
    const plan = planOf(found, [ADMIN, ...known], NO_RULES)
    expect(plan.changes.map(({ kind }): string => kind)).toEqual([...kinds])
    expect(plan.failures.map(({ message }) => message)).toEqual([...failures])
  })

  test('gives the first role whose group a person is in, else the least; user groups come from all of them', () => {
    const rules: Rules = {
      groups: [
        { group: 'a', role: 'editor' },
        { group: 'b', role: 'administrator', userGroup: 'B' },
        { group: 'c', userGroup: 'C' },
        { group: 'd', userGroup: 'C' },
        { group: 'e', userGroup: 'not there' },
      ],
      userGroupIds: new Map([
        ['B', 9],
        ['C', 4],
      ]),
    }
    const wantedOf = (places: readonly number[]) => {
      const [change] = planOf([person('a', { rules: places })], [ADMIN], rules).changes
      return change?.kind === 'create' ? [change.wanted.role, change.wanted.userGroupIds] : null
    }
    expect(wantedOf([0, 1, 2, 3, 4])).toEqual(['editor', [4, 9]])
    expect(wantedOf([1])).toEqual(['administrator', [9]])
    expect(wantedOf([2, 3])).toEqual(['dashboard_viewer', [4]])
    expect(wantedOf([4])).toEqual(['dashboard_viewer', []])
  })

  test('leaves one administrator, and no more than it must', () => {
    const [a, b] = [user(2, 'a', { role: 'administrator' }), user(3, 'b', { role: 'administrator' })]
    const off = { ...ADMIN, isDisabled: true }
    const alone = planOf([], [off, a, b], NO_RULES)
    expect(alone.changes).toEqual([{ kind: 'disable', known: b }])
    expect(alone.failures).toEqual([{ name: 'a', message: 'is the last administrator and was not changed' }])
    expect(planOf([], [ADMIN, a, b], NO_RULES)).toMatchObject({
      failures: [],
      changes: [{ known: a }, { known: b }],
    })
  })

  test('asks once more only for who did not come', () => {
    const found = [person('a', { isDisabled: true }), person('b')]
    const known = [ADMIN, user(2, 'a'), user(3, 'b'), user(4, 'c'), user(5, 'd', { directoryId: null })]
    const gone = goneOf(found, planOf(found, known, NO_RULES))
    expect(gone.map(({ id }) => id)).toEqual([4, 5])
  })

  test('takes no user over, makes no name twice and settles, with any content of the directory', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd', 'admin')
    const ids = fc.constantFrom('1', '2', '3', '4', '5')
    const people = fc.array(
      fc
        .record({ directoryId: ids, username: names, isDisabled: fc.boolean() })
        .map((one) => person(one.directoryId, one)),
    )
    fc.assert(
      fc.property(fc.array(people, { maxLength: 6 }), (rounds) => {
        let known: readonly StoredUser[] = [ADMIN]
        for (const found of rounds) {
          const after = carriedOut(known, found)
          expect(after[0]).toEqual(ADMIN)
          expect(new Set(after.map(({ username }) => username)).size).toBe(after.length)
          for (const [place, before] of known.entries())
            expect(after[place]?.directoryId).toBe(before.directoryId)
          known = after
        }
        const last = rounds.at(-1) ?? []
        // A name that a person gave up is free a round later; chains of such names are as long as the list of people.
        for (const _ of last) known = carriedOut(known, last)
        expect(planOf(last, known, NO_RULES).changes).toEqual([])
      }),
    )
  })
})

function carriedOut(known: readonly StoredUser[], found: readonly Person[]): readonly StoredUser[] {
  const after = [...known]
  for (const change of planOf(found, known, NO_RULES).changes) {
    if (change.kind === 'create') {
      const { wanted } = change
      after.push({ ...wanted, id: after.length + 1, type: 'LDAP_MANAGED', isDisabled: false, version: 1 })
    } else {
      const place = after.indexOf(change.known)
      const shape = change.kind === 'update' ? { ...change.wanted, isDisabled: false } : { isDisabled: true }
      after[place] = { ...change.known, ...shape }
    }
  }
  return after
}
