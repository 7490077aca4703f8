import type { Word } from '../parser.ts'
import type { Given } from '../pattern.ts'
import type { Play } from '../play.ts'
import { instantAt, same } from './found.ts'

/** What is asked of one object as it is now, or of the delivery before. */
export const EXPECTATIONS: readonly Word[] = [
  {
    says: 'expect <name> is <state>[ since <time>]',
    expects: true,
    async run(play, given) {
      const { type, id } = play.thing(given.text('name'))
      same(given.text('state'), await stateOf(play, given.text('name')))
      const since = given.maybeNumber('time')
      if (since === undefined) return
      if (type !== 'job') throw new RangeError('only jobs say since when; expect changes of others')
      same(since, instantAt((await play.ask('GET', `/jobs/${id}`))['stateSince']))
    },
  },
  {
    says: 'expect <name> has error code <number>',
    expects: true,
    run: async (play, given) =>
      same(given.number('number'), (await play.read(given.text('name')))['errorCode']),
  },
  {
    says: 'expect <name> says <name:message>',
    expects: true,
    run: async (play, given) => same(given.text('message'), (await play.read(given.text('name')))['message']),
  },
  {
    says: 'expect <name> is due at <time>',
    expects: true,
    run: async (play, given) =>
      same(given.number('time'), instantAt((await play.read(given.text('name')))['nextTimeoutAt'])),
  },
  {
    says: 'expect <name> is never due',
    expects: true,
    run: async (play, given) => same('null', String((await play.read(given.text('name')))['nextTimeoutAt'])),
  },
  {
    says: 'expect <name> shows <name:value> <number>',
    expects: true,
    run: async (play, given) => same(given.number('number'), await newestOf(play, given)),
  },
  {
    says: 'expect <name> flaps',
    expects: true,
    run: async (play, given) => same('true', String((await play.read(given.text('name')))['isFlapping'])),
  },
  {
    says: 'expect <name> does not flap',
    expects: true,
    run: async (play, given) => same('false', String((await play.read(given.text('name')))['isFlapping'])),
  },
  {
    says: 'expect that to be late',
    expects: true,
    run: ({ delivered }) => same('true', String(delivered['late'])),
  },
  {
    says: 'expect that to be in time',
    expects: true,
    run: ({ delivered }) => same('false', String(delivered['late'])),
  },
  {
    says: 'expect children of <name>',
    heads: 'children',
    expects: true,
    async run(play, given, { rows }) {
      const { id } = play.thing(given.text('name'))
      const { items } = await play.ask<{ items: { name: string }[] }>('GET', `/slos/${id}/children`)
      same(rows.map((row) => row['name']).join(', '), items.map(({ name }) => name).join(', '))
    },
  },
  {
    says: '<name>',
    under: ['children'],
    expects: true,
    run: (_, given, draft) => void draft.rows.push({ name: given.text('name') }),
  },
]

/** The state of an object; those of groups and devices are in the tree. */
async function stateOf(play: Play, name: string): Promise<unknown> {
  const { type, id } = play.thing(name)
  if (type === 'job' || type === 'slo' || type === 'slc') return (await play.read(name))['currentState']
  return (await play.ask('GET', `/root/tree/${type}/${id}/tree?depth=1`))['state']
}

async function newestOf(play: Play, given: Given): Promise<unknown> {
  const { numbers } = play.thing(given.text('name'))
  const { values } = await play.ask<{ values: Record<string, { value: number } | undefined> }>(
    'GET',
    `/jobs/${play.thing(given.text('name')).id}?values=true`,
  )
  return values[`returnValue${numbers.indexOf(given.text('value')) + 1}`]?.value
}
