import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Call, Item } from '../../api/client.ts'
import { usePages } from '../../api/pages.ts'
import { inTurn, invalidate, useGet } from '../../api/resource.ts'
import { readUser, signOut, user } from '../../api/session.ts'
import { agentText } from '../../kit/agent.ts'
import { background } from '../../kit/background.ts'
import { Button, Check, itemOptions, itemValue, SelectField, TextField } from '../../kit/controls.tsx'
import { Card, PageHead, Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { State } from '../../kit/state.tsx'
import { Time } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.ts'
import { LANGUAGES, t } from '../../language/t.ts'
import { PasswordForm } from '../../shell/owed.tsx'
import { keepSingleKeys, singleKeys } from '../../shell/keys.ts'
import { changeTheme, theme } from '../../shell/theme.ts'
import type { Theme } from '../../shell/theme.ts'
import { Mfa } from './mfa.tsx'
import { NewToken } from './new-token.tsx'

/** The user's own account: appearance, password, second factor, sessions and tokens. */
export function Screen(): JSX.Element {
  const me = user.value
  return (
    <>
      <PageHead
        title={t('account.title')}
        sentence={me ? t('account.sentence', { name: me.fullname || me.username }) : ''}
      />
      <div class="body two-up">
        <div class="col spread">
          <Appearance />
          <Mfa />
          <Tokens />
        </div>
        <div class="col spread">
          <Password />
          <Sessions />
        </div>
      </div>
    </>
  )
}

function Appearance(): JSX.Element {
  const me = user.value
  const [zone, setZone] = useState(me?.timeZone ?? '')
  const dashboards = useGet('/dashboards', {}).data?.items ?? []
  const save = async (change: Call<'/users/{id}', 'patch'>['body']): Promise<void> => {
    if (me === null) return
    await inTurn('/users', () => call('patch', '/users/{id}', { path: { id: me.id }, body: change }))
    await readUser()
    toast({ text: t('account.saved') })
  }
  return (
    <Card title={t('account.appearance')}>
      <div class="pad col">
        <SelectField
          label={t('setup.language')}
          value={me?.language ?? 'en'}
          onValue={(language) => background(save({ language }))}
          options={LANGUAGES.map((value) => ({
            value: value as string,
            text: new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
          }))}
        />
        <form
          class="row end-aligned"
          onSubmit={(event) => {
            event.preventDefault()
            background(save({ timeZone: zone }))
          }}
        >
          <TextField label={t('setup.timeZone')} value={zone} onValue={setZone} class="grow" />
          <Button type="submit" refused={zone === me?.timeZone ? t('account.unchanged') : undefined}>
            {t('account.save')}
          </Button>
        </form>
        <SelectField<Theme>
          label={t('account.theme')}
          value={theme.value}
          onValue={changeTheme}
          options={(['system', 'light', 'dark'] as const).map((value) => ({
            value,
            text: t(`account.theme.${value}`),
          }))}
        />
        <SelectField
          label={t('account.start')}
          hint={t('account.startHint')}
          value={itemValue(dashboards, me?.startDashboardId)}
          onValue={(id) => background(save({ startDashboardId: id === '' ? null : Number(id) }))}
          options={itemOptions(dashboards, t('account.startCommon'))}
        />
        <Check label={t('keys.single')} checked={singleKeys.value} onChange={keepSingleKeys} />
      </div>
    </Card>
  )
}

function Password(): JSX.Element {
  return (
    <Card title={t('login.password')}>
      <div class="pad">
        <PasswordForm onDone={() => toast({ text: t('account.passwordChanged') })} />
      </div>
    </Card>
  )
}

type Session = Item<'/sessions'>
const PAGE = 20

function Sessions(): JSX.Element {
  const sessions = usePages('/sessions', { query: { limit: PAGE } })
  const end = async (id: string): Promise<void> => {
    await call('delete', '/sessions/{id}', { path: { id } })
    invalidate('/sessions')
  }
  return (
    <Card
      title={t('account.sessions')}
      actions={
        <Button small kind="danger" action={() => signOut(true)}>
          {t('account.signOutEverywhere')}
        </Button>
      }
      footer={
        sessions.more && (
          <Button small onClick={sessions.more}>
            {t('account.more')}
          </Button>
        )
      }
    >
      <Show resource={sessions}>
        {(items) => (
          <Table<Session>
            label={t('account.sessions')}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              {
                key: 'agent',
                title: t('account.browser'),
                cell: ({ agent }) => (
                  <span class="agent" title={agent}>
                    {agentText(agent)}
                  </span>
                ),
              },
              { key: 'address', title: t('account.address'), wide: true, cell: ({ address }) => address },
              { key: 'since', title: t('account.since'), cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                key: 'end',
                title: <span class="vh">{t('account.end')}</span>,
                cell: ({ id, isCurrent }) =>
                  isCurrent ? (
                    <State state="ok" text={t('account.current')} />
                  ) : (
                    <Button small action={() => end(id)}>
                      {t('account.end')}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Show>
    </Card>
  )
}

type Token = Item<'/session/personal-tokens'>

function Tokens(): JSX.Element {
  const tokens = useGet('/session/personal-tokens', {})
  const [isNew, setNew] = useState(false)
  const revoke = async (tokenId: number): Promise<void> => {
    await call('delete', '/session/personal-tokens/{tokenId}', { path: { tokenId } })
    invalidate('/session/personal-tokens')
  }
  return (
    <Card
      title={t('account.tokens')}
      note={t('account.tokensNote')}
      actions={
        <Button small icon="plus" onClick={() => setNew(true)}>
          {t('account.newToken')}
        </Button>
      }
    >
      <Show resource={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('account.noTokens')} />
          ) : (
            <Table<Token>
              label={t('account.tokens')}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                { key: 'name', title: t('account.name'), cell: ({ name }) => name },
                {
                  key: 'scopes',
                  title: t('account.scopes'),
                  wide: true,
                  cell: ({ scopes }) => scopes.map((scope) => t(`account.scope.${scope}`)).join(', '),
                },
                { key: 'ends', title: t('account.ends'), cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                {
                  key: 'revoke',
                  title: <span class="vh">{t('account.revoke')}</span>,
                  cell: ({ id, name }) => (
                    <Button small aria-label={t('account.revokeName', { name })} action={() => revoke(id)}>
                      {t('account.revoke')}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Show>
      {isNew && <NewToken onClose={() => setNew(false)} />}
    </Card>
  )
}
