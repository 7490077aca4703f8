import { Temporal } from 'temporal-polyfill'

import { idOf, serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { outcome, table } from './printing.ts'

type Token = {
  readonly id: number
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt: string
}

const LIFETIME_DAYS = 365

/** `tidemark token`: creates, lists and revokes personal tokens of the caller. */
export const tokenCommand: Command = {
  name: 'token',
  about:
    'Creates, lists and revokes personal tokens of the caller. A new token is printed once. It expires after a year unless\n' +
    '  --expires sets an instant. Without --scope it may only execute, which is enough for deliveries.',
  actions: {
    create: serviceAction({
      words: '<name>',
      count: [1, 1],
      options: {
        scope: { value: 'read|write|execute|backup', isRepeated: true },
        expires: { value: 'instant' },
      },
      run: create,
    }),
    list: serviceAction({ words: '', count: [0, 0], options: {}, run: list }),
    revoke: serviceAction({ words: '<token>', count: [1, 1], options: {}, run: revoke }),
  },
}

async function create(invocation: Invocation): Promise<Outcome> {
  const scopes = invocation.texts('scope')
  const body = {
    name: invocation.words[0],
    scopes: scopes.length === 0 ? ['execute'] : scopes,
    expiresAt:
      invocation.text('expires') ??
      Temporal.Now.instant()
        .add({ hours: 24 * LIFETIME_DAYS })
        .toString(),
  }
  const path = '/session/personal-tokens'
  const made = await invocation.client().json<{ readonly token: string }>('POST', path, JSON.stringify(body))
  return outcome(invocation, made, ({ token }) => `${token}\n`)
}

async function list(invocation: Invocation): Promise<Outcome> {
  const answer = await invocation
    .client()
    .read<{ readonly items: readonly Token[] }>('/session/personal-tokens')
  return outcome(invocation, answer, ({ items }) =>
    table(
      ['ID', 'NAME', 'SCOPES', 'EXPIRES'],
      items.map(({ id, name, scopes, expiresAt }) => [id, name, scopes.join(','), expiresAt]),
      'You have no personal tokens.',
    ),
  )
}

async function revoke(invocation: Invocation): Promise<Outcome> {
  const id = idOf(invocation.words[0], 'token')
  await invocation.client().ask('DELETE', `/session/personal-tokens/${id}`)
  return outcome(invocation, { id }, () => `Token ${id} is revoked.\n`)
}
