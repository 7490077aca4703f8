import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { apiUrl } from '../../api/events.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button, Check, itemOptions, SelectField, TextField } from '../../kit/controls.tsx'
import { Code, Table } from '../../kit/data.tsx'
import { Empty, Note, NoRight, Show } from '../../kit/feedback.tsx'
import { Confirm, Dialog, FormDialog } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { durationText, Time, timeZone } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { instantOf } from '../maintenance/days.ts'
import { KEEPERS, refusedUnless } from './rights.ts'
import type { WebhookToken } from './script.ts'

type Props = { readonly script: string }
type Created = Answer<'/scripts/{script}/webhookTokens', 'post'>

/** The tokens with which other systems run a script. */
export function WebhooksTab({ script }: Props): JSX.Element {
  const refused = refusedUnless(KEEPERS)
  return refused === undefined ? (
    <Tokens script={script} />
  ) : (
    <div class="pad">
      <NoRight detail={refused} />
    </div>
  )
}

function Tokens({ script }: Props): JSX.Element {
  const tokens = useGet('/scripts/{script}/webhookTokens', { path: { script } })
  const [isNew, setNew] = useState(false)
  const [created, setCreated] = useState<Created | null>(null)
  const [rotated, setRotated] = useState<WebhookToken | null>(null)
  const show = (made: Created): void => {
    setNew(false)
    setRotated(null)
    setCreated(made)
  }
  const [revoked, setRevoked] = useState<WebhookToken | null>(null)
  const add = (
    <Button small icon="plus" onClick={() => setNew(true)}>
      {t('scripts.newToken')}
    </Button>
  )
  return (
    <>
      <Show resource={tokens} what={t('scripts.failedTokens')}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t('scripts.noTokens')} text={t('scripts.tokensText')} action={add} />
          ) : (
            <>
              <TokenTable tokens={all} onRotate={setRotated} onRevoke={setRevoked} />
              <div class="pad">{add}</div>
            </>
          )
        }
      </Show>
      {isNew && <NewToken script={script} onMade={show} onClose={() => setNew(false)} />}
      {rotated && (
        <RotateToken script={script} token={rotated} onMade={show} onClose={() => setRotated(null)} />
      )}
      {created && <Secrets created={created} onClose={() => setCreated(null)} />}
      {revoked && (
        <Confirm
          title={t('scripts.revokeName', { name: revoked.name })}
          effect={t('scripts.revokeEffect')}
          submit={t('scripts.revoke')}
          onConfirm={async () => {
            await call('delete', '/scripts/{script}/webhookTokens/{id}', { path: { script, id: revoked.id } })
            invalidate(`/scripts/${script}/webhookTokens`)
          }}
          onClose={() => setRevoked(null)}
        />
      )}
    </>
  )
}

type TableProps = {
  readonly tokens: readonly WebhookToken[]
  readonly onRotate: (token: WebhookToken) => void
  readonly onRevoke: (token: WebhookToken) => void
}

function TokenTable({ tokens, onRotate, onRevoke }: TableProps): JSX.Element {
  return (
    <Table<WebhookToken>
      label={t('scripts.tab.webhooks')}
      rows={tokens}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          title: t('scripts.name'),
          cell: ({ name, problem, formerUntil }) => (
            <>
              <span class="row wrap">
                <b>{name}</b>
                {problem !== null && <State state="warning" text={problem} />}
              </span>
              {formerUntil !== null && (
                <div class="path">
                  {t('scripts.formerUntil')} <Time at={formerUntil} />
                </div>
              )}
            </>
          ),
        },
        {
          key: 'signed',
          title: t('scripts.signed'),
          wide: true,
          cell: ({ hmac }) => t(hmac ? 'scripts.signedYes' : 'scripts.signedNo'),
        },
        {
          key: 'used',
          title: t('scripts.used'),
          cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('scripts.neverUsed') : <Time at={lastUsedAt} />),
        },
        {
          key: 'ends',
          title: t('scripts.ends'),
          wide: true,
          cell: ({ expiresAt }) => (expiresAt === null ? t('scripts.endsNever') : <Time at={expiresAt} />),
        },
        {
          key: 'revoke',
          title: <span class="vh">{t('scripts.revoke')}</span>,
          cell: (token) => (
            <span class="row">
              <Button
                small
                aria-label={t('scripts.rotateName', { name: token.name })}
                onClick={() => onRotate(token)}
              >
                {t('scripts.rotate')}
              </Button>
              <Button
                small
                aria-label={t('scripts.revokeName', { name: token.name })}
                onClick={() => onRevoke(token)}
              >
                {t('scripts.revoke')}
              </Button>
            </span>
          ),
        },
      ]}
    />
  )
}

/** The secrets of a token, which are shown once. */
function Secrets({
  created,
  onClose,
}: {
  readonly created: Created
  readonly onClose: () => void
}): JSX.Element {
  return (
    <Dialog title={t('scripts.tokenCreated')} onClose={onClose}>
      <div class="col">
        <Note kind="warning">{t('scripts.tokenOnce')}</Note>
        <span class="label">{t('scripts.tokenUrl')}</span>
        <Code text={apiUrl(created.path)} label={t('scripts.tokenUrl')} />
        <span class="label">{t('scripts.token')}</span>
        <Code text={created.token} label={t('scripts.token')} />
        {created.signingKey !== null && (
          <>
            <span class="label">{t('scripts.signingKey')}</span>
            <Code text={created.signingKey} label={t('scripts.signingKey')} />
          </>
        )}
      </div>
    </Dialog>
  )
}

type MakingProps = Props & { readonly onMade: (created: Created) => void; readonly onClose: () => void }

function NewToken({ script, onMade, onClose }: MakingProps): JSX.Element {
  const configurations = useGet('/scripts/{script}/runConfigurations', { path: { script } }).data ?? []
  const [name, setName] = useState('')
  const [configuration, setConfiguration] = useState('')
  const [expiresAt, setExpiresAt] = useState('')
  const [hmac, setHmac] = useState(false)
  const create = async (): Promise<void> => {
    const body = {
      name,
      hmac,
      runConfigurationId: configuration === '' ? null : Number(configuration),
      expiresAt: expiresAt === '' ? null : new Date(instantOf(expiresAt, timeZone.value)).toISOString(),
    }
    const created = await call('post', '/scripts/{script}/webhookTokens', { path: { script }, body })
    invalidate(`/scripts/${script}/webhookTokens`)
    onMade(created)
  }
  return (
    <FormDialog
      title={t('scripts.newToken')}
      submit={t('scripts.create')}
      refused={name === '' ? t('scripts.needsName') : undefined}
      onSubmit={create}
      onClose={() => undefined}
      onCancel={onClose}
    >
      {(failure) => (
        <>
          <Note kind="info">{t('scripts.tokenWarning')}</Note>
          <TextField
            label={t('scripts.name')}
            value={name}
            onValue={setName}
            error={failure?.at('/name')}
            autofocus
          />
          <SelectField
            label={t('scripts.configuration')}
            value={configuration}
            onValue={setConfiguration}
            error={failure?.at('/runConfigurationId')}
            options={itemOptions(configurations, t('scripts.defaultConfiguration'))}
          />
          <TextField
            label={t('scripts.ends')}
            hint={t('scripts.endsHint', { zone: timeZone.value })}
            type="datetime-local"
            value={expiresAt}
            onValue={setExpiresAt}
            error={failure?.at('/expiresAt')}
          />
          <Check label={t('scripts.hmac')} checked={hmac} onChange={setHmac} />
        </>
      )}
    </FormDialog>
  )
}

const GRACES_S = [0, 3_600, 86_400, 604_800] as const

/** Replaces a token by a new one; the old one may stay valid for a while. */
function RotateToken({
  script,
  token,
  onMade,
  onClose,
}: MakingProps & { readonly token: WebhookToken }): JSX.Element {
  const [grace, setGrace] = useState('86400')
  const rotate = async (): Promise<void> => {
    const created = await call('post', '/scripts/{script}/webhookTokens/{id}/rotate', {
      path: { script, id: token.id },
      body: { graceSeconds: Number(grace) },
    })
    invalidate(`/scripts/${script}/webhookTokens`)
    onMade(created)
  }
  return (
    <FormDialog
      title={t('scripts.rotateName', { name: token.name })}
      submit={t('scripts.rotate')}
      onSubmit={rotate}
      onClose={() => undefined}
      onCancel={onClose}
    >
      {(failure) => (
        <>
          <p>{t('scripts.rotateEffect')}</p>
          <SelectField
            label={t('scripts.grace')}
            value={grace}
            onValue={setGrace}
            error={failure?.at('/graceSeconds')}
            options={GRACES_S.map((seconds) => ({
              value: String(seconds),
              text: seconds === 0 ? t('scripts.graceNone') : durationText(seconds * 1000),
            }))}
          />
        </>
      )}
    </FormDialog>
  )
}
