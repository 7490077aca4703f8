/** Words that lists of leaked passwords have most often beneath their figures and signs, and some of ours. They are compared
 * as `bareOf` makes them, so that `P@ssw0rd2024!` is `password`. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `password passwort motdepasse contrasena parola haslo wachtwoord passphrase passcode passwords password password1
  admin administrator administrador adminadmin root rootroot superuser supervisor sysadmin system operator manager
  welcome willkommen bienvenue benvenuto letmein letmeinnow openup opensesame changeme changemenow change changeit
  default secret secrets topsecret geheim private security secure login logmein logon signin access accessdenied
  guest gast user username users test tester testing testtest testuser demo demodemo sample example temp temporary
  tidemark monitor monitoring service services server database oracle mysql postgres cisco juniper raspberry ubuntu
  debian windows microsoft google facebook instagram twitter linkedin youtube amazon netflix apple iphone samsung
  qwerty qwertyuiop qwertz qwertzuiop azerty azertyuiop asdfgh asdfghjkl asdfasdf zxcvbn zxcvbnm qazwsx qazwsxedc
  qweasd qweasdzxc qweqwe qwerasdf iqaz iqazswsx abc abcabc abcdef abcdefg abcdefgh abcd aaaa xxxxxx zzzzzz
  iloveyou ilovey ilove loveyou lovelove love lover loveme forever always princess prince princesa queen sunshine
  flower flowers butterfly rainbow angel angels babygirl babyboy baby sweety sweetheart honey darling cutie cookie
  football baseball basketball soccer hockey tennis golfer rugby cricket volleyball fussball futbol liverpool arsenal
  chelsea barcelona realmadrid juventus bayern dortmund yankees lakers steelers cowboys dallas eagles packers ranger
  rangers broncos raiders redsox patriots celtic manchester everton
  dragon dragons monkey monkeys tiger tigers lion eagle falcon wolf wolves panther shark dolphin dolphins horse kitty
  kitten pussycat puppy doggy rabbit chicken hamster spider scorpion snake phoenix unicorn
  master masters mastermind killer killers shadow shadows hunter hunters warrior warriors soldier knight ninja samurai
  pirate pirates gangster gandalf merlin wizard magic magician demon devil lucifer satan vampire zombie
  superman batman spiderman ironman hulk wolverine starwars startrek skywalker darthvader yoda matrix trinity neo
  pokemon pikachu naruto dragonball mario zelda minecraft fortnite roblox halo counterstrike callofduty warcraft
  starcraft diablo playstation nintendo xbox
  michael michelle michele jennifer jessica ashley amanda nicole daniel daniela thomas robert charlie jordan andrew
  matthew joshua anthony william richard george joseph patrick nicholas alexander alexandra alexandre andrea andreas
  maria mariana martin martina stefan stefanie sebastian christian christina kristina benjamin samuel samantha
  hannah sophie sofia olivia emily emma victoria veronica vanessa natalie natasha barbara sandra sabrina claudia
  maggie buster ginger pepper bailey tucker harley davidson ferrari porsche mercedes corvette mustang camaro yamaha
  suzuki toyota honda
  summer sommer winter spring autumn herbst january february march april august september october november december
  monday tuesday wednesday thursday friday saturday sunday birthday christmas
  london paris berlin madrid zurich zuerich vienna america american england germany deutschland france italy italia
  canada mexico brasil australia switzerland schweiz newyork california florida texas chicago boston
  computer internet network laptop keyboard monitor mobile telephone phone hello helloworld hallo hallohallo bonjour
  ciao salut good goodluck lucky happy freedom liberty peace success winner money dollar million millionaire diamond
  silver golden platinum crystal jasmine lavender orange banana apple cherry chocolate pumpkin strawberry cheese
  coffee whatever nothing something anything everything please trustno trustnoi trustnoone nopassword nopass
  blabla blablabla fuckyou fuckme fuckoff asshole bitch pussy dickhead bullshit
  jesus christ jesuschrist godisgood blessed heaven faith metallica slipknot nirvana eminem beatles elvis blink
  blinki tupac madonna shakira justinbieber corona covid correcthorsebatterystaple`
    .split(/\s+/)
    .filter((word) => word !== ''),
)
