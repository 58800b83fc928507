// Made-up chats in twelve languages, and what somebody looks for in them. A chat begins with "# id"; each further line is one message,
// its first word says whose it is.

/** The chats, oldest first. */
export const CHATS = `
# venue
you Can you find a venue for the summer party? About forty people, somewhere near the river.
assistant Three venues fit forty people: the Old Boathouse, the Mill Garden and a room above the Harbour Cafe.
you The boathouse sounds lovely. What does it cost for an evening?
assistant The Old Boathouse asks 900 for an evening, with chairs and tables. The deposit is 200.
you Good, let's book the boathouse for the 14th of June.
assistant Noted: Old Boathouse, 14 June, from six o'clock. They want the deposit within a week.
# party-food
you What should we serve at the summer party?
assistant For forty guests: two big salads, flatbread, grilled vegetables, and a lemon tart for dessert.
you Some of them are vegetarian and one is allergic to peanuts.
assistant Then leave out the satay sauce, since it is made of peanuts. Everything else is fine.
you Where can I rent plates and glasses?
assistant The party shop on Mill Lane rents plates, glasses and cutlery by the dozen.
# router
you The internet drops every evening around nine.
assistant Restart the router first. If it keeps dropping, change the wireless channel from 6 to 11.
you Changed the channel. What was the admin page again?
assistant Open 192.168.1.1 in the browser; the password is on the sticker beneath the router.
you It works now, definitely better.
assistant Good. If the connection drops again, the provider should measure the line.
# passport
you My passport expires in September. What do I need to renew it?
assistant Two photographs, the old passport, the form and 62 in fees. An appointment takes about three weeks to get.
you Which government office is it?
assistant The citizens' office in the town hall; appointments are made online only.
you Remind me to print the photographs.
assistant I will remind you on Friday to print the photographs for the passport.
# sourdough
you My sourdough is flat again. The starter smells fine.
assistant It was probably proofed for too long. At 26 degrees four hours are enough.
you How much salt for one kilo of flour?
assistant Twenty grams of salt for one kilo of flour, and 700 grams of water.
you And the oven temperature?
assistant Start at 250 degrees with steam, after fifteen minutes go down to 220.
# marathon
you I want to run a half marathon in October. Make me a schedule.
assistant Twelve weeks, three runs each: a short one, one with intervals and a long one that grows to 18 kilometres.
you My knee hurts after the long runs.
assistant Then leave out the intervals for a week and see a physiotherapist if it does not get better.
you The physiotherapist says my shoes are worn out.
assistant New shoes every 700 kilometres is a common rule. Wear them in on short runs.
# invoice-studio
you Did the studio send the invoice for the logo?
assistant Yes, invoice INV-2024-0815 from the studio is over 1,250 and due on the 30th.
you They charged the logo twice.
assistant Then ask for a corrected invoice. Shall I draft an email to their accounting department?
you Yes please, friendly but firm.
assistant Here is a draft: "Thank you for the invoice. The logo is listed twice; could you correct that?"
# invoice-plumber
you The plumber's invoice came, 340 for the kitchen tap.
assistant That is more than the estimate of 280. Ask what the extra hour was for.
them Hello, this is the plumber. The extra hour was for the rusty valve under the sink.
you Fine, then pay it from the household account.
assistant Noted: plumber, 340, household account.
# lisbon
you Plan four days in Lisbon for us in March.
assistant Day one the old town and the castle, day two the museum quarter, day three a train to the coast, day four the market.
you Which accommodation was close to the station?
assistant The guesthouse behind the station, 84 a night with breakfast. The accommodation by the castle was dearer.
you Is there a necessary vaccination or visa?
assistant Neither is necessary for you; an identity card is enough.
# flight
you When does my flight to Lisbon leave?
assistant On 3 March at 07:25 from terminal 2. Check in closes forty minutes before.
you Can I bring my bicycle helmet as hand luggage?
assistant Yes, a helmet fits in the hand luggage. A whole bicycle has to be checked in as sports equipment.
you What seat do I have?
assistant Seat 14A, by the window.
# cat
you The cat sneezes since yesterday and does not eat.
assistant If it does not eat for a whole day, call the veterinarian. Sneezing alone is often harmless.
you The veterinarian gave us drops, twice a day.
assistant Noted: eye drops for the cat, twice a day for a week.
you The cat is eating again!
assistant That is good news. Give the drops until the week is over all the same.
# guitar
you Which strings should I buy for a beginner's guitar?
assistant Nylon strings if it is a classical guitar, light steel strings if it is a western one.
you It is my sister's old classical guitar.
assistant Then nylon, normal tension. Changing all six strings takes half an hour.
you I'd like to learn a song with three chords.
assistant Many folk songs get along with G, C and D. Practise the change from G to C slowly, with a rhythm on one string.
# taxes
you Which receipts do I need for the tax return?
assistant Work room, train tickets, the computer and donations. Keep every receipt for six years.
you Is the desk chair deductible?
assistant Yes, the desk chair belongs to the work room and is deductible in the year you bought it.
you When is the deadline?
assistant The deadline is the end of July; with an accountant it is the end of February.
# moving
you We are moving on the first of May. What should I not forget?
assistant Change the address at the bank, the insurance and the electricity company, and book a van.
you How many boxes for two rooms?
assistant About forty boxes for two rooms, and ten small ones for books.
you The new landlord wants the deposit in three instalments.
assistant That is allowed: the deposit may be paid in three monthly instalments.
# book-club
you The book club reads a crime novel next month. What was it called?
assistant The Lighthouse Keeper's Ledger. You meet on Tuesday at seven in the library.
them I can't come on Tuesday, I have choir practice.
you Could we meet on Wednesday instead?
assistant Wednesday at seven suits everyone but one. Shall I propose it?
you Yes, and I'll recommend a shorter novel for February.
# garden
you When do I sow tomatoes?
assistant Indoors at the end of February, and plant them out after the last frost in May.
you Something eats the leaves of my lettuce.
assistant Slugs, most likely. Water in the morning rather than in the evening, and lay out boards to collect them.
you The neighbour recommends coffee grounds.
assistant Coffee grounds help a little against slugs and feed the tomatoes too.
# laptop
you My laptop gets hot and the fan is loud.
assistant Blow the dust out of the fan first. If it is older than four years, the thermal paste is dry.
you How do I make a separate backup before I open it?
assistant Copy the home folder to an external disk and check that three files open from it.
you Done. The fan was full of dust, unbelievable.
assistant Then the temperature should be fifteen degrees lower now.
# gift
you What could I give my colleague as a farewell present?
assistant A good pen, a plant for the new office, or a voucher for the climbing hall she likes.
you The climbing voucher! How much should it be?
assistant Ten entries are 95. If eight people join in, it is twelve each.
you Until when do I have to collect the money?
assistant Her last day is Thursday, so until Wednesday.
# pool-summer
you When does the pool open?
assistant The pool opens at eight.
you Do they sell tickets for ten visits?
assistant Yes, ten visits are 38.
# bike-service
you The brakes of my bicycle squeak.
assistant Then the pads are worn or greasy. The service at the shop costs 45.
you Book it for Saturday morning.
assistant Done: Saturday at ten, bring the lock as well.
# car-service
you The car needs its yearly service.
assistant The garage has time on Monday. The service costs 310 with new brakes.
you What about the tyres?
assistant The tyres are good for another winter.
# tyres
you Order winter tyres for the car.
assistant Four winter tyres cost 420, fitted on Tuesday at the garage.
you Where do the old ones go?
assistant The garage stores them until spring for 30.
# office-plants
you Who waters the office plants while I am away?
assistant Nobody so far. Shall I ask the two from the third floor?
you Yes. The big office plant by the door needs a whole can each Monday.
assistant Asked. They say yes, if the can stays next to the sink.
# stove
you The hot plate at the back of the stove stays cold.
assistant If only that hot plate stays cold, its switch or its element is broken. Both can be changed.
you What is the part called?
assistant Look for the number on the rim of the hot plate; the part is sold under it.
# trains-north
you What is the fastest way to the north coast?
assistant The night train: eleven hours, and you arrive at breakfast.
you What is the price of a bed?
assistant From 79 in a cabin for three.
# pool-winter
you When does the pool open?
assistant The pool opens at ten.
you And the sauna?
assistant The sauna is heated from noon on.
# desk
you I want to put a plant into my office. Which needs little light?
assistant A snake plant gets along with almost no light.
you And how often does it want water?
assistant Every other week.
# wohnung
you Welche Wohnung war die mit dem Balkon nach Süden?
assistant Die Wohnung in der Lindenstraße: drei Zimmer, Balkon nach Süden, 980 Euro warm.
you Wann ist dort die Besichtigung?
assistant Die Besichtigung ist am Donnerstag um 17 Uhr. Nimm Gehaltsnachweise und die Schufa-Auskunft mit.
you Gibt es einen Aufzug?
assistant Nein, vierter Stock ohne Aufzug, aber mit Fahrradkeller.
# zahnarzt
you Ich brauche einen Termin beim Zahnarzt, mir ist eine Füllung herausgefallen.
assistant Am Mittwoch um 8:30 Uhr ist etwas frei. Soll ich den Termin vormerken?
you Ja, und schreib mir auf, dass die Versicherungskarte mitmuss.
assistant Vorgemerkt: Zahnarzt, Mittwoch 8:30 Uhr, Versicherungskarte mitnehmen.
you Wie viel kostet eine Keramikfüllung?
assistant Zwischen 150 und 300 Euro, die Kasse zahlt nur einen Teil.
# fahrrad
you Die Kette an meinem Fahrrad springt ständig.
assistant Dann ist sie gelängt oder der Zahnkranz abgenutzt. Eine Kette hält ungefähr 3.000 Kilometer.
you Welche Größe hat mein Schlauch noch mal?
assistant Dein Schlauch ist 28 Zoll mit französischem Ventil.
you Die Werkstatt am Bahnhof hat bis Samstag zu.
assistant Dann versuch es in der Werkstatt an der Brücke, die hat durchgehend geöffnet.
# kuchen
you Wie ging das Rezept für den Apfelkuchen von Oma?
assistant Mürbeteig aus 300 g Mehl, 200 g Butter, 100 g Zucker, darauf ein Kilo säuerliche Äpfel und Zimt.
you Bei welcher Temperatur?
assistant Bei 180 Grad, etwa fünfzig Minuten auf der mittleren Schiene.
you Der Kuchen war köstlich, alle wollten das Rezept.
assistant Dann schreibe ich es noch einmal sauber auf.
# kita
them Hallo, hier ist die Kita. Am Freitag schließen wir wegen der Fortbildung schon um zwölf.
you Wer kann am Freitag die Kinder abholen?
assistant Du hast um elf eine Besprechung, die bis halb eins geht. Die Großeltern hätten Zeit.
you Gut, ich frage die Großeltern.
assistant Denk an die Wechselkleidung und die Gummistiefel.
# heizung
you Die Heizung im Schlafzimmer wird nicht warm.
assistant Entlüfte zuerst den Heizkörper. Wenn das nicht hilft, klemmt wahrscheinlich das Thermostatventil.
you Der Vermieter meldet sich nicht.
assistant Schreib ihm eine Mängelanzeige mit einer Frist von einer Woche.
you Wie hoch war die Heizkostenabrechnung letztes Jahr?
assistant 640 Euro, davon hast du 55 Euro zurückbekommen.
# restaurant
you Quel était le restaurant où nous avons mangé des huîtres ?
assistant C'était le petit restaurant du port, derrière le marché aux poissons. Les huîtres venaient de la baie.
you Réserve une table pour l'anniversaire de maman, samedi soir.
assistant Table réservée pour six personnes samedi à vingt heures, près de la fenêtre.
you Elle est allergique aux crevettes.
assistant Je le signale au restaurant : pas de crevettes.
# medecin
you Le médecin m'a donné une ordonnance pour un sirop contre la toux.
assistant Le sirop se prend trois fois par jour après les repas, pendant une semaine.
you La pharmacie de garde, c'est laquelle ?
assistant Ce dimanche, la pharmacie de garde est celle de la place de l'église.
you La toux est partie, merci.
assistant Tant mieux. Finis quand même le flacon jusqu'à mercredi.
# vacances
you On cherche une maison en Bretagne pour les vacances d'août.
assistant J'ai trouvé une maison avec jardin à deux cents mètres de la plage, 780 euros la semaine.
you Les chiens sont acceptés ?
assistant Oui, les chiens sont acceptés avec un supplément de trente euros.
you Et le ménage de fin de séjour ?
assistant Le ménage coûte soixante euros, ou vous le faites vous-mêmes.
# voiture
you La voiture fait un bruit bizarre quand je freine.
assistant Les plaquettes de frein sont sans doute usées. Ne tarde pas à passer au garage.
you Le garage demande 240 euros, c'est cher ?
assistant C'est un prix normal pour les plaquettes et la main-d'œuvre à l'avant.
you Le contrôle technique est valable jusqu'à quand ?
assistant Jusqu'au 18 novembre.
# reunion-ecole
them La réunion des parents est déplacée à jeudi, dix-huit heures, salle de musique.
you Note la réunion de l'école pour jeudi.
assistant C'est noté : réunion des parents jeudi à dix-huit heures, salle de musique.
you Il faut apporter un gâteau ?
assistant Oui, tu avais promis un gâteau au chocolat.
# cumple
you Se acerca el cumpleaños de mi sobrina, cumple siete años.
assistant Le gustan los dinosaurios y dibujar. ¿Un estuche de acuarelas o una excavación de fósiles?
you La excavación de fósiles suena genial. ¿Dónde se compra?
assistant En la juguetería de la plaza cuesta 19 euros; por internet tarda cinco días.
you ¿Y la tarta?
assistant Una tarta de zanahoria sin nueces, porque su amigo es alérgico.
# coche
you ¿Cuándo caduca el seguro del coche?
assistant El seguro del coche caduca el 12 de abril; hay que avisar un mes antes para cambiar de compañía.
you Busca algo más barato.
assistant Hay una compañía con las mismas coberturas por 60 euros menos al año.
you ¿Incluye asistencia en carretera?
assistant Sí, asistencia en carretera desde el kilómetro cero y coche de sustitución.
# paella
you ¿Cuánto arroz pongo en la paella para ocho personas?
assistant Ochocientos gramos de arroz y unos dos litros y medio de caldo.
you ¿El azafrán cuándo se echa?
assistant El azafrán se echa con el caldo, nunca en el aceite caliente.
you Quedó un poco salada.
assistant La próxima vez prueba el caldo antes de añadir sal.
# dentista
them Le recordamos su cita con la dentista el martes a las nueve y media.
you Cambia la cita de la dentista al jueves, por favor.
assistant He propuesto el jueves a las once; esperan tu confirmación.
you Confirmado. ¿Tengo que llevar la radiografía?
assistant Sí, la radiografía de diciembre, está en la carpeta azul.
# piso
you El vecino de arriba hace ruido por la noche otra vez.
assistant Anota los días y las horas y habla primero con él; si no, con el administrador.
you Además hay una gotera en el baño.
assistant Una gotera es urgente: avisa hoy mismo al administrador y haz fotografías.
you El fontanero viene el lunes.
assistant Anotado: fontanero el lunes por la mañana, gotera del baño.
# toplanti
you Yarınki toplantı saat kaçta?
assistant Toplantı yarın saat on buçukta, üçüncü kattaki küçük salonda.
you Sunum dosyasını kime göndermem gerekiyor?
assistant Sunum dosyasını bu akşama kadar satış ekibine göndermen gerekiyor.
you Gönderdim, teşekkürler.
assistant Rica ederim. Yarın için projektörü de ayırttım.
# kapadokya
you Kapadokya'da balon turu için ne kadar önce yer ayırtmalıyız?
assistant Balon turu için en az üç hafta önce yer ayırtmak gerekir; kişi başı 150 euro.
you Hava kötü olursa ne olur?
assistant Rüzgâr fazla olursa uçuş iptal edilir ve para geri ödenir.
you Mağara otelini de not et.
assistant Not ettim: mağara otel, iki gece, kahvaltı dahil.
# kira
you Ev sahibi kirayı yüzde yirmi beş artırmak istiyor.
assistant Sözleşmeye göre artış enflasyon oranını geçemez. Sözleşmenin tarihi neydi?
you Sözleşme geçen yıl eylülde imzalandı.
assistant O zaman yeni kira eylülden önce artırılamaz.
you Ona kibar bir mektup yaz.
assistant Mektubu yazdım; altına tarih ve imza ekle.
# mercimek
you Mercimek çorbası için tarif ver.
assistant Bir bardak kırmızı mercimek, bir soğan, bir havuç, biraz un ve nane. Yirmi dakika pişir, sonra blenderdan geçir.
you Tereyağını ne zaman ekliyorum?
assistant Tereyağını kırmızı biberle kızdırıp en son çorbanın üstüne gezdir.
you Çok lezzetli oldu!
assistant Afiyet olsun. Bir dahaki sefere limon da sık.
# ehliyet
you Ehliyetimi yenilemek için hangi belgeler lazım?
assistant Kimlik, iki fotoğraf, sağlık raporu ve eski ehliyet. Randevu nüfus müdürlüğünden alınır.
you Sağlık raporunu nereden alıyorum?
assistant Aile hekiminden alabilirsin; göz muayenesi de yapılıyor.
you Randevu salı gününe verildi.
assistant Salı günü için hatırlatma kurdum.
# dacha
you Когда лучше сажать картошку на даче?
assistant Картошку сажают в начале мая, когда земля прогреется до восьми градусов.
you В теплице опять тля на огурцах.
assistant Опрыскай огурцы мыльным раствором вечером и повтори через три дня.
you Сколько стоит новая теплица?
assistant Теплица из поликарбоната три на шесть метров стоит около тридцати тысяч.
# poezd
you Во сколько отправляется поезд в Казань?
assistant Поезд отправляется в 20:48 с третьего пути, прибытие утром в 8:15.
you Купи билеты в купе, если есть нижние места.
assistant Нижние места есть только в четвёртом вагоне. Билеты на двоих стоят девять тысяч.
you Берём. И закажи такси к вокзалу.
assistant Такси к вокзалу заказано на 20:00.
# remont
you Мастер сказал, что стиральную машину ремонтировать невыгодно.
assistant Если сломался подшипник, ремонт стоит почти как половина новой машины.
them Здравствуйте, это мастер. Подшипник можно заменить за шесть тысяч.
you Тогда пусть ремонтирует.
assistant Хорошо, договорился на пятницу после обеда.
# podarok
you Что подарить учительнице на день рождения?
assistant Хорошую книгу, билет в театр или набор чая. Цветы лучше купить утром.
you Пусть будет билет в театр. Что идёт в субботу?
assistant В субботу идёт комедия в двух действиях, начало в семь вечера.
you Отлично, два билета в партер.
assistant Места в пятом ряду, билеты придут на почту.
# retsept
you Напомни рецепт бабушкиных сырников.
assistant Полкило творога, одно яйцо, две ложки сахара и три ложки муки. Жарить на медленном огне.
you У меня они разваливаются.
assistant Творог слишком мокрый: отожми его через марлю или добавь манку.
you Получилось замечательно!
assistant Приятного аппетита. Со сметаной вкуснее всего.
# safar
you متى موعد رحلتي إلى مراكش؟
assistant رحلتك إلى مراكش يوم الخميس الساعة السادسة صباحا من المطار القديم.
you احجز لنا فندقا قريبا من السوق.
assistant وجدت فندقا صغيرا بجانب السوق، الليلة بأربعين يورو مع الفطور.
you هل أحتاج إلى تأشيرة؟
assistant لا تحتاج إلى تأشيرة، جواز السفر يكفي.
# tabib
you عندي ألم في الظهر منذ أسبوع.
assistant إذا استمر الألم أكثر من أسبوعين فاذهب إلى الطبيب. جرب التمارين الخفيفة.
you الطبيب وصف لي مرهما وعلاجا طبيعيا.
assistant سجلت ذلك: المرهم مرتين في اليوم، والعلاج الطبيعي كل ثلاثاء.
you ذكرني بموعد العلاج.
assistant سأذكرك كل يوم ثلاثاء في التاسعة.
# tabkh
you كيف أطبخ الكسكس لستة أشخاص؟
assistant ستمائة غرام من الكسكس، وخضار موسمية، ومرق ساخن. يبخر ثلاث مرات.
you ماذا عن الحمص؟
assistant ينقع الحمص ليلة كاملة قبل الطبخ.
you كان لذيذا جدا.
assistant بالصحة والعافية.
# madrasa
you المُعَلِّمَةُ طلبت دفتر رسم وأقلاما ملونة.
assistant أضفت إلى القائمة: دفتر رسم، أقلام ملونة، ومسطرة.
you متى اجتماع أولياء الأمور؟
assistant الاجتماع يوم الأحد في قاعة المدرسة الساعة الخامسة.
you لا تنس الحقيبة الجديدة.
assistant الحقيبة الجديدة في القائمة أيضا.
# shaadi
you शादी के लिए हॉल कौन सा अच्छा रहेगा?
assistant नदी के पास वाला हॉल दो सौ मेहमानों के लिए ठीक है, किराया अस्सी हज़ार है।
you मेहमानों की सूची में कितने लोग हैं?
assistant अभी सूची में एक सौ पचासी मेहमान हैं।
you निमंत्रण पत्र कब छपेंगे?
assistant निमंत्रण पत्र अगले सोमवार तक छप जाएँगे।
# bijli
you इस महीने का बिजली का बिल बहुत ज़्यादा आया है।
assistant बिल दो हज़ार चार सौ का है, पिछले महीने से दुगुना। मीटर की जाँच करवाइए।
you शिकायत कहाँ दर्ज करूँ?
assistant शिकायत बिजली विभाग की वेबसाइट पर दर्ज होती है।
you मीटर ख़राब निकला।
assistant तो अगला बिल ठीक होकर आएगा।
# dawai
you डॉक्टर ने बुखार के लिए कौन सी दवाई लिखी थी?
assistant दवाई दिन में तीन बार खाने के बाद लेनी है, पाँच दिन तक।
you बच्चे को खाँसी भी है।
assistant खाँसी के लिए शहद और गुनगुना पानी दीजिए।
you अब वह ठीक है।
assistant यह सुनकर अच्छा लगा।
# yatra
you जयपुर की यात्रा के लिए ट्रेन का टिकट बुक करो।
assistant ट्रेन शनिवार सुबह छह बजे है, दो टिकट बुक हो गए।
you किला कितने बजे खुलता है?
assistant किला सुबह नौ बजे खुलता है और शाम पाँच बजे बंद होता है।
you होटल स्टेशन के पास चाहिए।
assistant स्टेशन के पास एक होटल है, नाश्ते के साथ।
# huiyi
you 明天的会议改到几点了?
assistant 明天的会议改到下午三点,在二楼的小会议室。
you 我需要准备销售报告吗?
assistant 需要,请带上第三季度的销售报告和预算表。
you 投影仪坏了怎么办?
assistant 我已经借了一台备用的投影仪。
# lvxing
you 我们国庆节去云南旅游,帮我订酒店。
assistant 大理古城里有一家带院子的客栈,每晚三百二十元,含早餐。
you 从机场怎么过去?
assistant 机场有大巴到古城,一个半小时,票价四十五元。
you 高原反应严重吗?
assistant 大理海拔两千米,一般没有高原反应。
# zufang
you 房东说下个月房租要涨五百。
assistant 合同到明年二月,在那之前房东不能涨房租。
you 押金什么时候退?
assistant 按照合同,退房后七天之内退还押金。
you 厨房的水龙头漏水,谁来修?
assistant 水龙头漏水应该由房东负责维修。
# caipu
you 红烧肉怎么做?
assistant 五花肉切块焯水,炒糖色,加酱油、料酒和八角,小火炖一个小时。
you 糖色总是炒糊。
assistant 用冰糖和小火,颜色变成琥珀色就马上放肉。
you 这次很成功!
assistant 太好了,下次可以加几个鸡蛋一起炖。
# kanbing
you 我嗓子疼,还有点发烧。
assistant 先量体温,超过三十八度五就吃退烧药,多喝水。
you 医生开了消炎药,怎么吃?
assistant 消炎药一天两次,饭后吃,连续吃五天。
you 体温正常了。
assistant 那就好,药还是要吃完。
# kaigi
you 来週の会議はどこでやりますか。
assistant 来週の会議は本社の五階の大会議室で、火曜日の十時からです。
you 資料はいつまでに送ればいいですか。
assistant 資料は月曜日の夕方までに部長へ送ってください。
you 名刺も持っていきます。
assistant はい、名刺は二十枚ほどあると安心です。
# onsen
you 箱根の温泉旅館を予約してください。
assistant 露天風呂付きの旅館が空いています。一泊二食で二万三千円です。
you 夕食にアレルギーの対応はできますか。
assistant エビとカニを抜いた夕食にできるそうです。
you では二名で予約します。
assistant 二名様で予約しました。チェックインは三時からです。
# hikkoshi
you 引っ越しの見積もりを三社から取りたいです。
assistant 一番安い見積もりは六万八千円で、段ボール三十枚が無料です。
you エアコンの取り外しは含まれますか。
assistant エアコンの取り外しは別料金で一万二千円です。
you 住所変更の手続きも教えてください。
assistant 市役所で転出届を出して、二週間以内に転入届を出します。
# karee
you カレーに隠し味を入れたいです。
assistant すりおろしたリンゴとチョコレートを少し入れると深みが出ます。
you ジャガイモは最初から入れますか。
assistant 煮崩れしやすいので、ジャガイモは最後の二十分だけ煮ます。
you とてもおいしかったです。
assistant よかったです。次の日はカレーうどんにできます。
# shuuri
you パソコンの画面が真っ暗になります。
assistant まずケーブルと電源を確認して、別のモニターにつないでみてください。
you モニターにつなぐと映ります。
assistant では画面のバックライトの故障です。修理は一万五千円くらいです。
you 修理に出します。
assistant データのバックアップを忘れないでください。
# hoesik
you 금요일 회식 장소를 예약해 주세요.
assistant 역 앞 고깃집으로 여덟 명 예약했습니다. 저녁 일곱 시입니다.
you 채식하는 사람이 한 명 있어요.
assistant 비빔밥과 두부 요리가 있는지 확인해 두었습니다.
you 주차할 수 있나요?
assistant 건물 지하에 두 시간 무료 주차가 됩니다.
# jeju
you 제주도 여행 일정을 짜 주세요.
assistant 첫날은 해변과 시장, 둘째 날은 한라산 등산, 셋째 날은 박물관입니다.
you 렌터카는 얼마예요?
assistant 렌터카는 보험을 포함해서 하루에 오만 원입니다.
you 등산화를 빌릴 수 있을까요?
assistant 입구 근처 가게에서 등산화를 빌려 줍니다.
# byeongwon
you 치과 예약이 언제였죠?
assistant 치과 예약은 수요일 오후 네 시입니다.
you 보험증을 가져가야 하나요?
assistant 신분증만 있으면 됩니다. 충치 치료는 삼십 분쯤 걸립니다.
you 고마워요.
assistant 네, 전날에 다시 알려 드릴게요.
# thiao
you ช่วยหาที่พักใกล้ทะเลที่กระบี่หน่อย
assistant มีรีสอร์ตริมหาดคืนละหนึ่งพันสองร้อยบาท รวมอาหารเช้า
you จากสนามบินไปอย่างไร
assistant มีรถตู้จากสนามบิน ใช้เวลาสี่สิบนาที
you อยากไปดำน้ำด้วย
assistant ทัวร์ดำน้ำออกทุกวันตอนแปดโมงเช้า
# khrua
you ต้มยำกุ้งต้องใส่อะไรบ้าง
assistant กุ้งสด ตะไคร้ ใบมะกรูด ข่า พริก และน้ำมะนาว
you ใส่น้ำมะนาวตอนไหน
assistant ปิดไฟก่อนแล้วค่อยใส่น้ำมะนาว จะได้ไม่ขม
you อร่อยมาก
assistant ดีใจด้วย คราวหน้าลองใส่เห็ดฟาง
# prachum
you ประชุมพรุ่งนี้เลื่อนเป็นกี่โมง
assistant ประชุมเลื่อนเป็นบ่ายสองโมงที่ห้องชั้นสี่
you ต้องเตรียมเอกสารอะไร
assistant เตรียมรายงานยอดขายและใบเสนอราคา
you ขอบคุณครับ
assistant ยินดีครับ ส่งแจ้งเตือนให้แล้ว
`;

/**
 * What is looked for, then the chats that answer it, best first: those after "/" hold something of it too. The words of a query are
 * not always spelt, bent or ordered as they were said.
 */
export const QUERIES = `
deposit for the evening > venue / moving
venue for the summer party > venue / party-food
pool opens > pool-winter / pool-summer
hot plate > stove / party-food
charging twice > invoice-studio
bicycle service costs > bike-service / car-service
how much salt for the flour > sourdough
winter tyres > tyres / car-service
inv-2024 > invoice-studio
plumber invoice > invoice-plumber / invoice-studio
guesthouse near the station > lisbon
flight seat window > flight
what is the deadline > taxes
office plant > office-plants / desk gift
deductable desk chair > taxes
collecting the money > gift / garden
choir on tuesdays > book-club
leafs slugs > garden
wohnung mit aufzug > wohnung
Versicherungskarte Zahnarzt > zahnarzt
fahrrad kette springt > fahrrad
Apfelkuchen Rezept > kuchen
grosseltern kinder abholen > kita
restaurant huitres > restaurant
sirop toux > medecin
chien bretagne > vacances
plaquettes de frein > voiture
excavación fosiles > cumple
seguros coches > coche
arroz paella azafran > paella
gotera baño > piso
TOPLANTI SALON > toplanti
balon turu > kapadokya
kira sözleşme > kira
mercimek corbasi > mercimek
теплица огурцы > dacha
билет поезд казань > poezd / podarok
рецепт сырников > retsept
الفندق بجانب السوق > safar
المعلمة دفتر رسم > madrasa
بिजली का बिल > bijli
निमंत्रण पत्र > shaadi
销售报告 > huiyi
押金 合同 > zufang
红烧肉 > caipu
温泉旅館 > onsen
見積もり エアコン > hikkoshi
チョコレート > karee
한라산 등산 > jeju
น้ำมะนาว > khrua
`;

/** Words as people misspell them, each with the word of the chats that is meant; pairs parted by commas. */
export const TYPOS = `
tommatoes tomatoes, tomatos tomatoes, definately definitely, accomodation accommodation, acommodation accommodation, necesary necessary,
neccessary necessary, goverment government, govermnent government, schduele schedule, farewel farewell, seperate separate,
seprate separate, recomend recommend, reccommend recommend, recomends recommends, apointment appointment, appointmant appointment,
fotographs photographs, photogrphs photographs, vegeterian vegetarian, vegitarian vegetarian, alergic allergic, allergc allergic,
peanutts peanuts, penauts peanuts, restuarant restaurant, restarant restaurant, shedule schedule, scedule schedule,
physioterapist physiotherapist, fysiotherapist physiotherapist, kilometers kilometres, kilomtres kilometres, marathn marathon,
maraton marathon, studioo studio, acounting accounting, acountant accountant, departmnet department, invoce invoice, invioce invoice,
corected corrected, plumer plumber, pulmber plumber, houshold household, housholt household, breakfest breakfast, brekfast breakfast,
vacination vaccination, vaccinaton vaccination, bycicle bicycle, bicylce bicycle, helmt helmet, luggege luggage, lugage luggage,
equiptment equipment, equipmnt equipment, veternarian veterinarian, vetinarian veterinarian, sneazing sneezing, begginer beginner,
begginner beginner, clasical classical, guittar guitar, gutiar guitar, rythm rhythm, rhytm rhythm, reciept receipt, receit receipt,
deductable deductible, insurence insurance, insurrance insurance, electrcity electricity, elektricity electricity,
instalmnts instalments, installments instalments, febuary february, feburary february, wensday wednesday, wednsday wednesday,
tusday tuesday, libary library, lettice lettuce, neigbour neighbour, nieghbour neighbour, temprature temperature,
temperture temperature, extrenal external, unbeleivable unbelievable, collegue colleague, colleage colleague, farwell farewell,
prezent present, climing climbing, vouchr voucher, vetrinarian veterinarian, sourdogh sourdough, sourdouhg sourdough, pasport passport,
passprot passport, internt internet, intrenet internet, chanel channel, pasword password, passwrod password, conection connection,
laptp laptop, bakcup backup, dezert dessert, deposti deposit, boathosue boathouse, septemeber september, electrictiy electricity,
Wonung Wohnung, Wohnnug Wohnung, Besichtgung Besichtigung, Balkonn Balkon, Zahnartz Zahnarzt, Zanarzt Zahnarzt, Fülung Füllung,
Versicherngskarte Versicherungskarte, Farrad Fahrrad, Fahrard Fahrrad, Werkstat Werkstatt, Apfelkuhcen Apfelkuchen, Rezpet Rezept,
Tempratur Temperatur, Grosselterm Großeltern, Gummistifel Gummistiefel, Heitzung Heizung, Heizugn Heizung, Vermiter Vermieter,
Mägelanzeige Mängelanzeige,
anniversiare anniversaire, resturant restaurant, huitrres huîtres, crevetes crevettes, ordonance ordonnance, pharmarcie pharmacie,
farmacie pharmacie, vacanses vacances, voitrue voiture, plaquetes plaquettes, chocolta chocolat, supplémant supplément,
cumpleanios cumpleaños, dinosaurois dinosaurios, escavación excavación, seguor seguro, compañia compañía, asitencia asistencia,
azafran azafrán, dentsta dentista, radiografia radiografía, fontnaero fontanero, administador administrador, zanhoria zanahoria,
toplanit toplantı, sunmu sunum, dosyasni dosyasını, sözlesme sözleşme, sözleme sözleşme, mercimke mercimek, çorbsaı çorbası,
ehlyet ehliyet, randvu randevu, fotgraf fotoğraf, kahvatlı kahvaltı, tesekürler teşekkürler,
картошкку картошку, теплца теплица, агурцах огурцах, поликорбоната поликарбоната, отправлется отправляется, билты билеты,
такисй такси, подшиник подшипник, стиральую стиральную, учитилнице учительнице, комедеия комедия, творг творога, рецетп рецепт,
замечатльно замечательно,
الخمسي الخميس, المطرا المطار, تأشيرةة تأشيرة, الطبب الطبيب, المرهمم المرهم, الكسكسس الكسكس, الحقبة الحقيبة, القائم القائمة,
निमंतरण निमंत्रण, मेहमनों मेहमानों, बिजलि बिजली, शिकयत शिकायत, वेबसाट वेबसाइट, दवाइ दवाई, स्टेसन स्टेशन, टिकेट टिकट
`;
