"""Classes of contradiction, each with what it must find and, beside it, with what it must let be."""

from __future__ import annotations

import pytest

from heldtrue.language.claims.antonyms import find_antonym_pair
from heldtrue.language.claims.changed_values import differ_in_hole
from heldtrue.language.claims.compatible_pairs import are_compatible
from heldtrue.language.claims.numeric_holes import read_skeleton
from heldtrue.language.compare import compare_statements
from heldtrue.language.contradiction import contrary_keys
from heldtrue.language.statements import analyse_statement

Pairs = list[tuple[str, str]]

# Another date or time of what happens once, is bounded, or keeps a timetable.
OTHER_TIMES: Pairs = [
    ("The exhibition opens on 4 May.", "The exhibition opens on 11 May."),
    ("The company was founded in 1987.", "The company was founded in 1991."),
    ("The visa is valid until August 2026.", "The visa is valid until May 2027."),
    ("The loan runs until March 2030.", "The loan runs until June 2031."),
    ("The train to Basel departs at 14:05.", "The train to Basel departs at 14:35."),
    ("The course begins in week 36.", "The course begins in week 38."),
    ("The fee must be paid by 3 May.", "The fee must be paid by 31 May."),
    ("The street market is held on Saturdays.", "The street market is held on Wednesdays."),
    ("The final takes place on Tuesday.", "The final takes place on Thursday."),
    ("The stove is swept once a year, in May.", "The stove is swept once a year, in June."),
    ("The wedding was on 12 June 2021.", "The wedding was on 19 June 2021."),
    ("The manuscript was lodged on 3 March 2025.", "The manuscript was lodged on 13 March 2025."),
    ("The offer stands until Friday.", "The offer stands until Tuesday."),
]
TIMES_THAT_ADD_UP: Pairs = [
    ("Omar visited Rome in 2019.", "Omar visited Rome in 2022."),
    ("The conference took place in 2018.", "The conference took place in 2019."),
    ("The company was founded in 1987.", "The company was founded in May 1987."),
    ("The company was founded in 1987.", "The company was founded in Leeds."),
    ("The cafe opens at 8:00.", "The cafe closes at 18:00."),
    ("Ruben works on Mondays.", "Ruben works on Wednesdays."),
    ("The shop is open on Mondays.", "The shop is open on Tuesdays."),
    ("Jan drinks coffee at 8:00.", "Jan drinks coffee at 15:00."),
    ("On weekdays the cafe opens at 7:00.", "On weekends the cafe opens at 9:00."),
    ("The house was built in 1900.", "The house was renovated in 1990."),
    ("Vera met Oskar in March.", "Vera met Oskar in June."),
    ("The kiln was repaired in 2019.", "The kiln was repaired in 2023."),
    ("The bridge was closed in 2019.", "The bridge was closed in 2021."),
    ("The lease ends in May.", "The lease ends in late May."),
]

# Another number for what is so; what was done may have been done again.
OTHER_NUMBERS: Pairs = [
    ("Members pay 15 euros a month.", "Members pay 20 euros a month."),
    ("We keep invoices for six years.", "We keep invoices for ten years."),
    ("Claims are payable within 14 days.", "Claims are payable within 30 days."),
    ("The cabin sleeps four.", "The cabin sleeps six."),
    ("The jury consists of seven people.", "The jury consists of nine people."),
    ("The plants are watered twice a week.", "The plants are watered three times a week."),
    ("The vaccine is stored at minus 80 degrees.", "The vaccine is stored at minus 20 degrees."),
    ("The filter retained 92 % of the dust.", "The filter retained 85 % of the dust."),
    ("The site was down for 47 minutes.", "The site was down for 74 minutes."),
    ("The club has 28 members.", "There are 31 members in the club."),
    ("Passwords must have at least 8 characters.", "Passwords must have at least 12 characters."),
    ("The hall seats 400.", "The hall seats 350."),
    ("The trip takes about 30 minutes.", "The trip takes about 90 minutes."),
]
NUMBERS_THAT_ADD_UP: Pairs = [
    ("Emil fixed two bugs.", "Emil fixed four bugs."),
    ("Ana paid 30 euros.", "Ana paid 50 euros."),
    ("Ivo ran 10 km on Sunday.", "Ivo ran 8 km on Tuesday."),
    ("Some rooms have two beds.", "Some rooms have three beds."),
    ("The shelf holds 40 books.", "The shelf holds 20 boxes."),
    ("The disk holds 2048 MB.", "The disk holds 2 GB."),
    ("The club has at least 20 members.", "The club has at least 30 members."),
    ("The parser supports TLS 1.2.", "The parser supports TLS 1.3."),
    ("The pond holds about 30 carp.", "The pond holds about 35 carp."),
    ("Take two tablets in the morning.", "Take one tablet in the evening."),
    ("The lake is 12 metres deep.", "The lake is 3 km long."),
    ("Her phone number is 5551234", "The phone number is 030 1234567."),
]

# One denies what the other says: by a small word, by an opposite, by a prefix, by forbidding it.
DENIALS: Pairs = [
    ("The gate is open on Sundays.", "The gate is closed on Sundays."),
    ("The road is open to trucks.", "The road is closed to trucks."),
    ("Dogs are permitted during the fair.", "Dogs are forbidden during the fair."),
    ("The fee includes breakfast.", "The fee excludes breakfast."),
    ("The pool is heated.", "The pool is unheated."),
    ("The trail is passable in winter.", "The trail is impassable in winter."),
    ("The valve is compatible with the old pipe.", "The valve is incompatible with the old pipe."),
    ("The deposit is refundable.", "The deposit is non-refundable."),
    ("Attendance is compulsory.", "Attendance is optional."),
    ("Visitors may use the yard.", "Visitors must not use the yard."),
    ("The parser handles comments.", "The parser can't handle comments."),
    ("Mira agreed to the plan.", "Mira did not agree to the plan."),
    ("Jonas eats fish.", "Jonas doesn't eat fish at all."),
    ("Every order needs a signature.", "Orders need no signature."),
    ("There is a lift in the building.", "There is no lift in the building."),
    ("Sofia passed the exam.", "Sofia failed the exam."),
    ("Students must wear a badge.", "Students don't have to wear a badge."),
    ("Students are required to wear a badge.", "Students do not have to wear a badge."),
    ("Tenants can keep pets.", "Tenants are not allowed to keep pets."),
]
NO_DENIALS: Pairs = [
    ("Ana opens the shop.", "Ana closes the shop."),
    ("Smoking is forbidden.", "Smoking is not permitted."),
    ("The data is public.", "The data is not private."),
    ("Paul can swim.", "Paul does not swim."),
    ("We might move.", "We might not move."),
    ("Guests must not smoke.", "Guests may not smoke."),
    ("The store accepts cash.", "The store rejects cheques."),
    ("Mei likes warm weather.", "Mei likes cold weather."),
    ("Merge main into release", "Never merge release into main"),
    ("The update is installed.", "The update is stalled."),
    ("Not all seats are numbered.", "The seats are numbered."),
    ("Students wear a badge.", "Students don't have to wear a badge."),
    ("Students wear a badge.", "Students are not required to wear a badge."),
    ("Tenants are allowed to smoke.", "Tenants are not allowed to keep pets."),
    ("Carla didn't eat fish as a child.", "Carla eats fish now."),
]

# Two places of one size, two doers of one task, two values of what there is one of.
OTHER_PLACES: Pairs = [
    ("The keys hang behind the cellar door.", "The keys are kept in the kitchen drawer."),
    ("The projector is in the canteen.", "The projector is in the garage."),
    ("The talk takes place in room 4.", "The talk takes place in the canteen."),
    ("The panel is in hall A.", "The panel is in hall C."),
    ("The wine is kept in a rack on the first floor.", "The wine is kept in a rack in the basement."),
    ("The bus leaves from the northern station.", "The bus leaves from the southern station."),
]
PLACES_WITHIN_EACH_OTHER: Pairs = [
    ("The key is in the blue tin.", "The key is on the shelf."),
    ("The office is in Oslo.", "The office is on the third floor."),
    ("Towels are in the bathroom.", "Towels are in the bedroom."),
    ("The archive is in the basement.", "The archive is located in the cellar."),
    ("The choir meets in the school on Mondays.", "The choir meets in the church on Fridays."),
    ("The hotel is next to the bank.", "The hotel is opposite the church."),
    ("Carla has been to Ghent.", "Carla has been to Bruges."),
]
OTHER_DOERS: Pairs = [
    ("Tara is in charge of the archive.", "Nils is responsible for the archive."),
    ("Our bread is delivered by the mill.", "Our bread is delivered by a wholesaler."),
    ("The lease is governed by Austrian law.", "The lease is governed by Swiss law."),
    ("Jonas leads the team.", "The team is led by Lena."),
    ("The winner of the race was Mika.", "The winner of the race was Lars."),
    ("Payments are processed by Stripe.", "Payments are processed by Adyen."),
    ("Our bikes are insured with the bank.", "Our bikes are insured with a cooperative."),
]
DOERS_BESIDE_EACH_OTHER: Pairs = [
    ("The magazine is read by Anna.", "The magazine is read by Ben."),
    ("The patch was reviewed by Priya.", "The patch was reviewed by Ben."),
    ("Nils is responsible for the archive.", "Nils is responsible for the website."),
    ("The song was written by Anna.", "The song was recorded by Ben."),
    ("Kim was responsible for sales.", "Lou is responsible for sales."),
    ("Tests are written by Anna.", "Tests are written by Ben."),
]
OTHER_ONES: Pairs = [
    ("Omar's favourite season is autumn.", "Omar's favourite season is spring."),
    ("The backup target is the cold bucket.", "The backup target is the tape library."),
    ("The statue is made of bronze.", "The statue is made of marble."),
    ("The logo is red.", "The logo is blue."),
    ("The boiler runs on gas.", "The boiler runs on oil."),
]
SAID_OF_ONE: Pairs = [
    ("Ana's favourite book is old.", "Ana's favourite book is Emma."),
    ("Ana's favourite subject is difficult.", "Ana's favourite subject is history."),
    ("The bench is made of wood.", "The bench is made of oak."),
    ("The flag is red.", "The flag is red and white."),
    ("The door is blue.", "The door is dark blue."),
    ("The car runs on petrol.", "The car runs on winter tyres."),
]
# One more of the kind, or another time.
BESIDE: Pairs = [
    ("The choir meets on Tuesdays.", "The choir meets on Thursdays, too."),
    ("The club is led by Ana.", "The club is also led by Ben."),
    ("The band was called High Noon at first.", "The band is called Low Tide."),
    ("Formerly the key was in the drawer.", "The key is on the hook."),
    ("Last year the fee was 40 euros.", "This year the fee is 45 euros."),
]

FOUND = [*OTHER_TIMES, *OTHER_NUMBERS, *DENIALS, *OTHER_PLACES, *OTHER_DOERS, *OTHER_ONES]
LET_BE = [
    *TIMES_THAT_ADD_UP, *NUMBERS_THAT_ADD_UP, *NO_DENIALS, *PLACES_WITHIN_EACH_OTHER, *DOERS_BESIDE_EACH_OTHER,
    *SAID_OF_ONE, *BESIDE,
]  # fmt: skip


def _relations(first: str, second: str) -> set[str]:
    ours, theirs = analyse_statement(first), analyse_statement(second)
    return {compare_statements(ours, theirs).relation, compare_statements(theirs, ours).relation}


@pytest.mark.parametrize(("first", "second"), FOUND)
def test_what_cannot_both_hold_is_contrary_and_shares_a_key(first: str, second: str) -> None:
    assert _relations(first, second) == {"contrary"}
    keys = [set(contrary_keys(analyse_statement(text).claims)) for text in (first, second)]
    assert keys[0] & keys[1]


@pytest.mark.parametrize(("first", "second"), LET_BE)
def test_what_may_both_hold_is_not_contrary(first: str, second: str) -> None:
    assert "contrary" not in _relations(first, second)


@pytest.mark.parametrize(("first", "second"), FOUND)
def test_a_contradiction_is_found_in_a_longer_statement(first: str, second: str) -> None:
    assert _relations(f"Parking is free. {first}", f"{second} Tea is served.") == {"contrary"}


@pytest.mark.parametrize(
    ("stem", "pole"),
    [("unpaid", ("paid", False)), ("forbid", ("allow", False)), ("permit", ("allow", True)), ("under", ("under", True)),
     ("undrink", ("drink", False)), ("drinkabl", ("drink", True)), ("tea", ("tea", True))],
)  # fmt: skip
def test_a_word_is_one_side_of_a_pair(stem: str, pole: tuple[str, bool]) -> None:
    assert find_antonym_pair(stem) == pole


def test_a_skeleton_has_marks_for_times_and_amounts_and_leaves_labels_alone() -> None:
    assert read_skeleton("leav at", "360 clock").words == ("leav", "at", "|", "#clock")
    assert read_skeleton("keep for 7776000 s", "log").words == ("keep", "for", "#amount s", "|", "log")
    assert read_skeleton("end on", "30 june").filled == ("30 june",)
    assert read_skeleton("fix", "issu 12").words == ("fix", "|", "issu", "12")


def test_two_changes_at_once_are_two_facts() -> None:
    one, other = (
        analyse_statement(text).claims[0]
        for text in ("The pass costs 30 euros for 3 days.", "The pass costs 50 euros for 7 days.")
    )
    assert not differ_in_hole(one, other)


def test_a_denial_stands_against_what_also_holds() -> None:
    one, other = (
        analyse_statement(text).claims[0] for text in ("Alice also works at Acme", "Alice no longer works at Acme")
    )
    assert not are_compatible(one, other)
    assert _relations("Alice also works at Acme", "Alice no longer works at Acme") == {"contrary"}
