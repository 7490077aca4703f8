import type { JSX } from 'preact'

import { call } from '../../api/client.ts'
import type { Item } from '../../api/client.ts'
import { usePages } from '../../api/pages.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { agentText } from '../../kit/agent.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { State } from '../../kit/state.tsx'
import { Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'

type Session = Item<'/sessions'>
const PAGE = 20
type Props = { readonly userId: number }

/** The open sessions of a user; each can be ended. */
export function Sessions({ userId }: Props): JSX.Element {
  const sessions = usePages('/sessions', { query: { userId, limit: PAGE } })
  const end = async (ended: readonly Session[]): Promise<void> => {
    try {
      for (const { id } of ended) await call('delete', '/sessions/{id}', { path: { id } })
    } finally {
      invalidate('/sessions')
    }
  }
  const endAll = async (): Promise<void> => {
    const { items } = await call('get', '/sessions', { query: { userId } })
    await end(items.filter(({ isCurrent }) => !isCurrent))
  }
  const others = sessions.data?.filter(({ isCurrent }) => !isCurrent) ?? []
  return (
    <Card
      title={t('users.sessions')}
      actions={
        others.length > 1 && (
          <Button small kind="danger" action={() => endAll()}>
            {t('users.endAll')}
          </Button>
        )
      }
      footer={
        sessions.more && (
          <Button small onClick={sessions.more}>
            {t('users.more')}
          </Button>
        )
      }
    >
      <Show resource={sessions} what={t('users.sessionsFailed')}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={t('users.noSessions')} />
          ) : (
            <Table<Session>
              label={t('users.sessions')}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  key: 'agent',
                  title: t('users.program'),
                  cell: ({ agent, address }) => (
                    <>
                      <span class="agent" title={agent}>
                        {agentText(agent) || t('users.none')}
                      </span>
                      {address !== '' && <div class="path">{address}</div>}
                    </>
                  ),
                },
                { key: 'since', title: t('users.since'), cell: ({ createdAt }) => <Time at={createdAt} /> },
                {
                  key: 'end',
                  title: <span class="vh">{t('users.actions')}</span>,
                  figures: true,
                  cell: (session) =>
                    session.isCurrent ? (
                      <State state="ok" text={t('users.current')} />
                    ) : (
                      <Button small action={() => end([session])}>
                        {t('users.end')}
                      </Button>
                    ),
                },
              ]}
            />
          )
        }
      </Show>
    </Card>
  )
}

type Token = Item<'/session/personal-tokens'>

/** The personal tokens of a user; each can be revoked. */
export function Tokens({ userId }: Props): JSX.Element {
  const tokens = useGet('/session/personal-tokens', { query: { userId } })
  const revoke = async (tokenId: number): Promise<void> => {
    await call('delete', '/session/personal-tokens/{tokenId}', { path: { tokenId } })
    invalidate('/session/personal-tokens')
  }
  return (
    <Card title={t('users.tokens')}>
      <Show resource={tokens} what={t('users.tokensFailed')}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('users.noTokens')} />
          ) : (
            <Table<Token>
              label={t('users.tokens')}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  key: 'name',
                  title: t('users.name'),
                  cell: ({ name, scopes }) => (
                    <>
                      {name}
                      <div class="path">{scopes.join(', ')}</div>
                    </>
                  ),
                },
                { key: 'ends', title: t('users.ends'), cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                {
                  key: 'revoke',
                  title: <span class="vh">{t('users.actions')}</span>,
                  figures: true,
                  cell: ({ id, name }) => (
                    <Button small aria-label={t('users.revokeToken', { name })} action={() => revoke(id)}>
                      {t('users.revoke')}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Show>
    </Card>
  )
}
