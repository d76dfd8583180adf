// Pairs of a form and its base word. Only forms that a stemmer cannot reduce.
const FORMS = `
went go, gone go, goes go, did do, done do, saw see, seen see, said say, says say, told tell, took take, taken take, gave give, given give,
got get, gotten get, made make, came come, became become, knew know, known know, thought think, bought buy, brought bring,
caught catch, taught teach, fought fight, sought seek, found find, felt feel, left leave, kept keep, slept sleep, met meet,
read read, led lead, fed feed, bled bleed, fled flee, sped speed, held hold, heard hear, stood stand, understood understand,
lost lose, won win, sold sell, sent send, spent spend, lent lend, bent bend, built build, paid pay, laid lay, lay lie, lain lie,
sat sit, ran run, began begin, begun begin, drank drink, drunk drink, sang sing, sung sing, swam swim, swum swim, rang ring,
rung ring, sank sink, sunk sink, ate eat, eaten eat, drove drive, driven drive, wrote write, written write, rode ride,
ridden ride, rose rise, risen rise, flew fly, flown fly, grew grow, grown grow, threw throw, thrown throw, blew blow,
blown blow, drew draw, drawn draw, wore wear, worn wear, tore tear, torn tear, swore swear, sworn swear, bore bear, born bear,
broke break, broken break, spoke speak, spoken speak, woke wake, woken wake, chose choose, chosen choose, froze freeze,
frozen freeze, stole steal, stolen steal, fell fall, fallen fall, forgot forget, forgotten forget, forgave forgive,
forgiven forgive, hid hide, hidden hide, bit bite, bitten bite, shook shake, shaken shake, dealt deal, meant mean,
dreamt dream, learnt learn, burnt burn, spelt spell, spilt spill, hung hang, stuck stick, struck strike, dug dig, spun spin,
shot shoot, lit light, slid slide, swept sweep, wept weep, crept creep, knelt kneel, leapt leap, shone shine, bred breed, flies fly, skies sky, tries try, tried try, cries cry,
cried cry, dries dry, dried dry, fries fry, fried fry, spies spy, dies die, died die, dying die, lies lie, lied lie, lying lie,
ties tie, tied tie, tying tie, rebuilt rebuild, overcame overcome, withdrew withdraw, mistook mistake,
children child, kid child, kids child, men man, women woman, people person, feet foot, teeth tooth, mice mouse, geese goose,
wives wife, knives knife, wolves wolf, shelves shelf, halves half, loaves loaf, thieves thief,
better good, best good, worse bad, worst bad, mom mother, mum mother, mommy mother, mummy mother, mama mother, dad father,
daddy father, papa father, grandma grandmother, granny grandmother, grandpa grandfather, granddad grandfather,
bike bicycle, phone telephone, tv television, photo photograph, photos photograph, pic picture, pics picture`;

/** Base words of irregular English forms. */
export const irregularForms: ReadonlyMap<string, string> = new Map(
  FORMS.split(',').map((pair) => pair.trim().split(' ') as [string, string]),
);
