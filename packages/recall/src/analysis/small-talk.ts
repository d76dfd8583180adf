/** Words of greetings and thanks, as `standardAnalyzer` returns them. A message of such words only needs no memory. */
export const smallTalk: ReadonlySet<string> = new Set(
  `hi hello hei hey ok okai ye yeah yep sure thank pleas great good nice cool perfect awesom wonder sound fine right welcom bye
  morn night even afternoon todai tomorrow later see get alright realli help haha lol funni hallo hoi moin tschuss dank bi spater
  gut tag morgen bonjour salut merci bonsoir ca va bien hola gracia bueno buena dia tard adio oi ola obrigado obrigada bom tudo
  bem ciao grazi buongiorno presto tot zien alles go goed bedankt merhaba selam tesekkurl nasilsin`.split(/\s+/),
);
