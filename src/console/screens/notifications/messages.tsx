import type { JSX } from 'preact'

import { call } from '../../api/client.ts'
import { usePages } from '../../api/pages.ts'
import { Button, Segments } from '../../kit/controls.tsx'
import { Card, Table } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { useQuery } from '../../kit/location.ts'
import { State } from '../../kit/state.tsx'
import { Time } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.ts'
import { faultText } from '../../language/problems.ts'
import { t } from '../../language/t.ts'
import type { Message } from './recipients.ts'

const STATUSES = ['all', 'waiting', 'sent', 'dead'] as const
type Status = (typeof STATUSES)[number]
const SHAPES = { waiting: 'no_data', sent: 'ok', dead: 'major' } as const

/** A message has no event of its own: it is sent some seconds after the change of its alarm. */
const REFRESHED_EVERY_MS = 5_000

/** The notifications, latest first: waiting, sent and failed ones. */
export function Messages(): JSX.Element {
  const [status, setStatus] = useQuery<Status>('status', 'all')
  const messages = usePages(
    '/notifications',
    { query: status === 'all' ? {} : { status } },
    REFRESHED_EVERY_MS,
  )
  const clear = <Button onClick={() => setStatus('all')}>{t('notifications.clear')}</Button>
  return (
    <Card
      title={t('notifications.messages')}
      actions={
        <Segments
          small
          label={t('notifications.status')}
          value={status}
          onChange={setStatus}
          options={STATUSES.map((value) => ({ value, text: t(`notifications.status.${value}`) }))}
        />
      }
      footer={
        messages.more && (
          <Button small onClick={messages.more}>
            {t('notifications.more')}
          </Button>
        )
      }
    >
      <Show resource={messages} what={t('notifications.messagesFailed')}>
        {(rows) => {
          if (rows.length > 0) return <MessageTable messages={rows} onChange={messages.reload} />
          if (status !== 'all') return <Empty title={t('notifications.noMatch')} action={clear} />
          return <Empty title={t('notifications.noMessages')} text={t('notifications.noMessagesText')} />
        }}
      </Show>
    </Card>
  )
}

type TableProps = { readonly messages: readonly Message[]; readonly onChange: () => void }

function MessageTable({ messages, onChange }: TableProps): JSX.Element {
  return (
    <Table<Message>
      label={t('notifications.messages')}
      rows={messages}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'status',
          title: t('notifications.status'),
          cell: ({ status }) => <State state={SHAPES[status]} text={t(`notifications.status.${status}`)} />,
        },
        { key: 'created', title: t('notifications.created'), cell: ({ created }) => <Time at={created} /> },
        { key: 'to', title: t('notifications.to'), cell: ({ recipient }) => recipient.name },
        {
          key: 'notices',
          title: t('notifications.notices'),
          wide: true,
          figures: true,
          cell: ({ notices }) => notices,
        },
        {
          key: 'attempts',
          title: t('notifications.attempts'),
          wide: true,
          figures: true,
          cell: ({ attempts }) => attempts,
        },
        {
          key: 'detail',
          title: t('notifications.detail'),
          cell: ({ detail, next }) => (
            <span class="wrapped">
              {faultText(detail)} {next && <Time at={next} />}
            </span>
          ),
        },
        {
          key: 'resend',
          title: <span class="vh">{t('notifications.actions')}</span>,
          figures: true,
          cell: (message) =>
            message.status === 'sent' ? null : <Resend message={message} onChange={onChange} />,
        },
      ]}
    />
  )
}

type ResendProps = { readonly message: Message; readonly onChange: () => void }

/** Sends a failed or waiting notification now. */
function Resend({ message, onChange }: ResendProps): JSX.Element {
  const resend = async (): Promise<void> => {
    const path = { id: message.id }
    const { status, detail } = await call('post', '/notifications/{id}/resend', { path })
    toast({
      text: `${t(`notifications.status.${status}`)}. ${faultText(detail)}`,
      isFailure: status === 'dead',
    })
    onChange()
  }
  return (
    <Button small aria-label={t('notifications.resendTo', { name: message.recipient.name })} action={resend}>
      {t('notifications.resend')}
    </Button>
  )
}
