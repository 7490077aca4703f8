import type { JSX } from 'preact'
import { useLocation, useRoute } from 'preact-iso'

import { Card, PageHead, Tabs } from '../../kit/data.tsx'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { Files } from './files.tsx'
import { Styles } from './styles.tsx'
import { Translations } from './translations.tsx'

const SECTIONS = ['files', 'styles', 'translations'] as const
type Section = (typeof SECTIONS)[number]

/** The service's own content: files, the style of the console, and texts that replace the console's own. */
export function Screen(): JSX.Element {
  const { route } = useLocation()
  const asked = useRoute().params['section'] as Section | undefined
  const section = asked !== undefined && SECTIONS.includes(asked) ? asked : 'files'
  return (
    <>
      <PageHead title={t('content.title')} sentence={t(`content.say.${section}`)} />
      <div class="body">
        <Card>
          <Tabs
            label={t('content.title')}
            value={section}
            onChange={(value) => route(linkTo(`content/${value}`))}
            tabs={SECTIONS.map((value) => ({ value, text: t(`content.${value}`) }))}
          >
            {section === 'files' && <Files />}
            {section === 'styles' && <Styles />}
            {section === 'translations' && <Translations />}
          </Tabs>
        </Card>
      </div>
    </>
  )
}
