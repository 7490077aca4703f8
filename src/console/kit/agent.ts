const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg(?:A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|CriOS|Chromium)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
  [/^curl\/(\d+)/, 'curl'],
]
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** The browser and the system that a user agent names, such as "Firefox 140, Linux"; any other text as it is. */
export function agentText(agent: string): string {
  const browser = BROWSERS.flatMap(([pattern, name]) => {
    const found = pattern.exec(agent)
    return found ? `${name} ${found[1]}` : []
  })[0]
  if (browser === undefined) return agent
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1]
  return system === undefined ? browser : `${browser}, ${system}`
}
