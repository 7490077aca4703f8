import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'

import { useGet } from '../../api/resource.ts'
import { PageHead, Sections } from '../../kit/data.tsx'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { Links } from './links.tsx'
import { Messages } from './messages.tsx'
import { Recipients } from './recipient-list.tsx'
import { recipientsSentence } from './recipients.ts'

const SECTIONS = ['recipients', 'links', 'messages'] as const
const PARTS = { recipients: Recipients, links: Links, messages: Messages }

/** Recipients of alarms, the alarm links that lead to them, and the sent messages. */
export function Screen(): JSX.Element {
  const { params } = useRoute()
  const section = SECTIONS.find((one) => one === params['section']) ?? 'recipients'
  const { data } = useGet('/alarmrecipients', {})
  const Part = PARTS[section]
  return (
    <>
      <PageHead
        title={t('notifications.title')}
        sentence={data && recipientsSentence(data.items)}
        actions={
          <Sections
            label={t('notifications.sections')}
            sections={SECTIONS.map((one) => ({
              text: t(`notifications.${one}`),
              href: linkTo(one === 'recipients' ? 'notifications' : `notifications/${one}`),
              isCurrent: one === section,
            }))}
          />
        }
      />
      <div class="body">
        <Part />
      </div>
    </>
  )
}
