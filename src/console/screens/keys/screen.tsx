import type { JSX } from 'preact'

import { Check, Kbd } from '../../kit/controls.tsx'
import { Card, KeyValues, PageHead } from '../../kit/data.tsx'
import { t } from '../../language/t.ts'
import { KEY_TABLE } from '../../shell/key-table.ts'
import { keepSingleKeys, singleKeys } from '../../shell/keys.ts'

/** All keys of the console, by the place where they work. */
export function Screen(): JSX.Element {
  const places = [...new Set(KEY_TABLE.map(({ place }) => place))]
  return (
    <>
      <PageHead title={t('nav.keys')} sentence={t('keys.sentence')} />
      <div class="body">
        <Check label={t('keys.single')} checked={singleKeys.value} onChange={keepSingleKeys} />
        <div class="columns">
          {places.map((place) => (
            <Card key={place} title={t(`keys.place.${place}`)}>
              <div class="pad">
                <KeyValues
                  rows={KEY_TABLE.filter((one) => one.place === place).map(({ keys, action }) => [
                    <span key={action} class="row">
                      {keys.split(' ').map((key) => (
                        <Kbd key={key}>{key}</Kbd>
                      ))}
                    </span>,
                    t(`keys.action.${action}`),
                  ])}
                />
              </div>
            </Card>
          ))}
        </div>
      </div>
    </>
  )
}
