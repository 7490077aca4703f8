import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { apiUrl } from '../../api/events.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button, Check, TextField } from '../../kit/controls.tsx'
import { Code, Table } from '../../kit/data.tsx'
import { Empty, Note, NoRight, Show } from '../../kit/feedback.tsx'
import { Confirm, Dialog, FormDialog } from '../../kit/overlays.tsx'
import { State } from '../../kit/state.tsx'
import { Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
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
              <Table<WebhookToken>
                label={t('scripts.tab.webhooks')}
                rows={all}
                keyOf={({ id }) => id}
                columns={[
                  {
                    key: 'name',
                    title: t('scripts.name'),
                    cell: ({ name, problem }) => (
                      <span class="row wrap">
                        <b>{name}</b>
                        {problem !== null && <State state="warning" text={problem} />}
                      </span>
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
                    cell: ({ lastUsedAt }) =>
                      lastUsedAt === null ? t('scripts.neverUsed') : <Time at={lastUsedAt} />,
                  },
                  {
                    key: 'ends',
                    title: t('scripts.ends'),
                    wide: true,
                    cell: ({ expiresAt }) =>
                      expiresAt === null ? t('scripts.endsNever') : <Time at={expiresAt} />,
                  },
                  {
                    key: 'revoke',
                    title: <span class="vh">{t('scripts.revoke')}</span>,
                    cell: (token) => (
                      <Button
                        small
                        aria-label={t('scripts.revokeName', { name: token.name })}
                        onClick={() => setRevoked(token)}
                      >
                        {t('scripts.revoke')}
                      </Button>
                    ),
                  },
                ]}
              />
              <div class="pad">{add}</div>
            </>
          )
        }
      </Show>
      {isNew && <NewToken script={script} onClose={() => setNew(false)} />}
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

/** Creates a token; its secrets are shown once. */
function NewToken({ script, onClose }: Props & { readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState('')
  const [hmac, setHmac] = useState(false)
  const [created, setCreated] = useState<Created | null>(null)
  const create = async (): Promise<void> => {
    setCreated(
      await call('post', '/scripts/{script}/webhookTokens', { path: { script }, body: { name, hmac } }),
    )
    invalidate(`/scripts/${script}/webhookTokens`)
  }
  if (created)
    return (
      <Dialog title={t('scripts.tokenCreated')} onClose={onClose}>
        <div class="col">
          <Note kind="warning">{t('scripts.tokenOnce')}</Note>
          <span class="label">{t('scripts.tokenUrl')}</span>
          <Code text={apiUrl(created.path)} label={t('scripts.tokenUrl')} />
          {created.signingKey !== null && (
            <>
              <span class="label">{t('scripts.signingKey')}</span>
              <Code text={created.signingKey} label={t('scripts.signingKey')} />
            </>
          )}
        </div>
      </Dialog>
    )
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
          <Check label={t('scripts.hmac')} checked={hmac} onChange={setHmac} />
        </>
      )}
    </FormDialog>
  )
}
