import type { Word } from '../parser.ts'
import type { Given } from '../pattern.ts'
import type { Draft, Play } from '../play.ts'
import { same, sameRows } from './found.ts'

type Dependencies = Readonly<Record<'dependsOn' | 'dependents', readonly { readonly id: number }[]>>

/** What cannot be well without something else, beyond the tree. */
export const DEPENDENCIES: readonly Word[] = [
  {
    says: '<name> depends on <name:other>[ and <name:another>]',
    run: async (play, given) => void (await play.ask('PUT', placeOf(play, given), asked(play, given))),
  },
  {
    says: '<name> depends on nothing',
    run: async (play, given) => void (await play.ask('PUT', placeOf(play, given), { dependsOn: [] })),
  },
  {
    says: 'expect refusal <word:refusal> when <name> is to depend on <name:other>',
    expects: true,
    async run(play, given) {
      const json = asked(play, given)
      const { status, body } = await play.stage.request('PUT', placeOf(play, given), { json })
      same(given.text('refusal'), status < 300 ? 'taken' : body['code'])
    },
  },
  { says: 'expect dependencies of <name>', heads: 'dependencies', expects: true, run: expectDependencies },
  ...(['needs', 'is needed by'] as const).map((relation): Word => ({
    says: `${relation} <name:other>`,
    under: ['dependencies'],
    expects: true,
    run: (_, given, { rows }) => void rows.push({ relation, of: given.text('other') }),
  })),
]

function placeOf(play: Play, given: Given): string {
  const { type, id } = play.thing(given.text('name'))
  return `/${type}/${id}/dependencies`
}

function asked(play: Play, given: Given) {
  const names = [given.text('other'), given.maybeText('another')].filter((name) => name !== undefined)
  return { dependsOn: names.map((name) => play.thing(name).id) }
}

async function expectDependencies(play: Play, given: Given, { rows }: Draft): Promise<void> {
  const { dependsOn, dependents } = await play.ask<Dependencies>('GET', placeOf(play, given))
  sameRows(rows, [
    ...dependsOn.map(({ id }) => ({ relation: 'needs', of: play.nameOf(id) })),
    ...dependents.map(({ id }) => ({ relation: 'is needed by', of: play.nameOf(id) })),
  ])
}
