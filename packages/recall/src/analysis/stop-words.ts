const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** English stop words, parts of words at apostrophes, and contractions without an apostrophe. */
export const stopWords: ReadonlySet<string> = setOf(
  `a about above after again against all also am an and any are aren as at be because been before being below between
  both but by can cannot could couldn d did didn do does doesn doing don down during each few for from further had hadn
  has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just ll m ma
  me might more most mustn my myself no nor not now o of off on once only or other our ours ourselves out over own re s
  same shall she should shouldn so some such t than that the their theirs them themselves then there these they this
  those through to too under until up us ve very was wasn we were weren what when where which while who whom whose why
  will with won would wouldn y you your yours yourself yourselves
  im ive youre theyre whats wheres whens whos hows thats theres dont doesnt didnt isnt wasnt havent hasnt cant couldnt
  wouldnt shouldnt`,
);

/** Stop words of Russian, Arabic and Hindi, which have separate scripts. */
export const scriptStopWords: ReadonlySet<string> = setOf(`
  и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня еще нет о из ему
  теперь когда даже ну ли если уже или ни быть был него до вас нибудь вам ведь там потом себя ничего ей может они тут где есть
  надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет кто этот того потому этого какой какая какие
  какое совсем ним здесь этом один мой моя мое мои моей моего моих твой твоя тем чтобы нее кажется сейчас были куда зачем всех
  можно при об другой хоть после над тот через эти нас про всего них много ли
  من في على إلى الى عن مع هذا هذه ذلك تلك التي الذي الذين هو هي هم نحن انا أنا أنت انت ما ماذا متى أين اين كيف لماذا هل لا لم لن قد
  كان كانت يكون أن ان إن كل بعض أو او ثم لكن بين عند عندي لدي لي لك له لها كم أي اي يا و
  है हैं था थी थे हूँ हूं हो होता होती होते में से को का की के पर ने और या भी ही तो कि यह वह ये वे मैं मैंने हम तुम आप मुझे मेरा मेरी मेरे हमारा
  हमारी हमारे तुम्हारा आपका आपकी आपके उसका उसकी उसके इस उस एक क्या कब कहाँ कहां कैसे कौन किस किसने क्यों लिए साथ नहीं गया गयी गई गए रहा रही रहे कर
  करता करती करते जो जब तब बहुत अपना अपनी अपने कितना कितनी कितने
`);

/** Stop words of German and Turkish with folded accents. */
export const latinStopWords: ReadonlySet<string> = setOf(`
  der die das den dem des ein eine einen einem einer eines und oder aber ich du er sie es wir ihr mich dich ihn uns euch mir dir
  ihm ihnen mein meine meinen meinem meiner dein deine sein seine ist bin bist sind seid war waren hat habe hast haben hatte was
  wer wo wann wie warum wohin woher welche welcher welches in im an am auf aus bei mit nach von vom zu zum zur fur uber unter
  vor nicht kein keine auch nur noch schon sehr so als wenn dass man wird werden kann da hier gern gerne dieser diese dieses
  bir ve veya ile bu su o ben sen biz siz onlar benim senin onun bizim sizin onlarin bana sana ona bize size beni seni onu mi mu
  da de ki ne nasil nerede nereye nereden neden nicin kim hangi kac icin gibi cok daha en her hic var yok degil ama cunku ya
`);
