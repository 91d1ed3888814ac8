/*
 * chess_board.h - the board of the chess workload: bitboards, the tables that
 * attacks are looked up in, positions with their hash keys, and moves.
 *
 * Moves are generated pseudo-legally; try_move says whether one leaves its own
 * king in check. Draws by repetition and the fifty-move rule are not modelled.
 * The tables are filled once by init_tables. Only chess.c includes this file.
 */
#ifndef CHESS_BOARD_H
#define CHESS_BOARD_H

#include "workload.h"

enum { WHITE, BLACK };
enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, NONE };
enum { NORMAL, DOUBLE_STEP, EN_PASSANT, CASTLE };
enum {
	NO_SQUARE = 64,
	MAX_MOVES = 256,
};

#define BIT(square) (UINT64_C(1) << (square))
#define DE_BRUIJN   UINT64_C(0x03f79d71b4cb0a89)
#define FILE_A	    UINT64_C(0x0101010101010101)

static const int piece_value[7] = {100, 320, 330, 500, 950, 20000, 0};

struct position {
	uint64_t piece[2][6];
	uint64_t side[2];
	uint8_t on[64];
	uint64_t key, pawn_key;
	int turn, castling, en_passant;
};

/* A move: from, to, moved and captured piece, promotion, kind. */
static uint32_t move_make(int from, int to, int piece, int captured, int promotion, int kind)
{
	return (uint32_t)(from | to << 6 | piece << 12 | captured << 15 | promotion << 18 |
			  kind << 21);
}

#define MOVE_FROM(m)	  ((int)((m)&63))
#define MOVE_TO(m)	  ((int)((m) >> 6 & 63))
#define MOVE_PIECE(m)	  ((int)((m) >> 12 & 7))
#define MOVE_CAPTURED(m)  ((int)((m) >> 15 & 7))
#define MOVE_PROMOTION(m) ((int)((m) >> 18 & 7))
#define MOVE_KIND(m)	  ((int)((m) >> 21 & 3))

struct move_list {
	int size;
	uint32_t move[MAX_MOVES];
	int score[MAX_MOVES];
};

/* Filled once at the start, constant afterwards. */
static uint64_t ray[8][64], knight_reach[64], king_reach[64], pawn_reach[2][64];
static uint64_t zobrist[2][6][64], zobrist_castling[16], zobrist_file[8], zobrist_turn;
static uint64_t front_span[2][64], neighbour_files[8];
static int8_t square_bonus[6][64];
static uint8_t castling_mask[64], square_of[64];

/* The lowest bit's square: the top six bits of its product with a de Bruijn sequence name it. */
static int lowest_square(uint64_t set)
{
	return square_of[((set & -set) * DE_BRUIJN) >> 58];
}

static int highest_square(uint64_t set)
{
	return 63 - __builtin_clzll(set);
}

static int count_squares(uint64_t set)
{
	int count = 0;

	for (; set; set &= set - 1)
		count++;
	return count;
}

static int pop_square(uint64_t *set)
{
	int square = lowest_square(*set);

	*set &= *set - 1;
	return square;
}

static uint64_t step(int square, int dx, int dy)
{
	int x = (square & 7) + dx, y = (square >> 3) + dy;

	return x < 0 || x > 7 || y < 0 || y > 7 ? 0 : BIT(y * 8 + x);
}

static void init_tables(struct workload *w)
{
	static const int direction[8][2] = {{0, 1},  {1, 1},   {1, 0},	{-1, 1},
					    {0, -1}, {-1, -1}, {-1, 0}, {1, -1}};
	static const int leap[8][2] = {{1, 2},	 {2, 1},   {2, -1}, {1, -2},
				       {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};

	for (int s = 0; s < 64; s++) {
		int x = s & 7, y = s >> 3;
		int off_x = x < 4 ? 3 - x : x - 4, off_y = y < 4 ? 3 - y : y - 4;
		int centre = 6 - off_x - off_y;

		for (int d = 0; d < 8; d++) {
			int dx = direction[d][0], dy = direction[d][1];
			uint64_t next = step(s, dx, dy);

			king_reach[s] |= next;
			knight_reach[s] |= step(s, leap[d][0], leap[d][1]);
			for (int k = 2; next; k++) {
				ray[d][s] |= next;
				next = step(s, k * dx, k * dy);
			}
		}
		pawn_reach[WHITE][s] = step(s, -1, 1) | step(s, 1, 1);
		pawn_reach[BLACK][s] = step(s, -1, -1) | step(s, 1, -1);
		for (int dx = -1; dx <= 1; dx++)
			for (int k = 1; k < 8; k++) {
				front_span[WHITE][s] |= step(s, dx, k);
				front_span[BLACK][s] |= step(s, dx, -k);
			}
		square_bonus[PAWN][s] = (int8_t)(4 * y + (off_x == 0 ? 4 * y : 0) - 8);
		square_bonus[KNIGHT][s] = (int8_t)(8 * centre - 24);
		square_bonus[BISHOP][s] = (int8_t)(4 * centre - 10);
		square_bonus[ROOK][s] = (int8_t)(y == 6 ? 20 : 2 * (3 - off_x));
		square_bonus[QUEEN][s] = (int8_t)(2 * centre - 6);
		square_bonus[KING][s] = (int8_t)(10 * (off_x + off_y) - 12 * y);
		castling_mask[s] = 15;
		square_of[(BIT(s) * DE_BRUIJN) >> 58] = (uint8_t)s;
		for (int side = 0; side < 2; side++)
			for (int p = 0; p < 6; p++)
				zobrist[side][p][s] = workload_random(w);
	}
	for (int f = 0; f < 8; f++) {
		zobrist_file[f] = workload_random(w);
		neighbour_files[f] =
			(f > 0 ? FILE_A << (f - 1) : 0) | (f < 7 ? FILE_A << (f + 1) : 0);
	}
	for (int i = 0; i < 16; i++)
		zobrist_castling[i] = workload_random(w);
	zobrist_turn = workload_random(w);
	castling_mask[4] = 15 & ~3;
	castling_mask[7] = 15 & ~1;
	castling_mask[0] = 15 & ~2;
	castling_mask[60] = 15 & ~12;
	castling_mask[63] = 15 & ~4;
	castling_mask[56] = 15 & ~8;
}

/* Directions 0-3 lead to higher squares, so the nearest blocker is the lowest bit there. */
static uint64_t ray_attacks(int d, int square, uint64_t occupied)
{
	uint64_t reach = ray[d][square], blockers = reach & occupied;

	if (!blockers)
		return reach;
	return reach ^ ray[d][d < 4 ? lowest_square(blockers) : highest_square(blockers)];
}

static uint64_t piece_attacks(int piece, int square, uint64_t occupied)
{
	uint64_t reach = 0;

	switch (piece) {
	case KNIGHT: return knight_reach[square];
	case KING: return king_reach[square];
	case QUEEN:
	case BISHOP:
		for (int d = 1; d < 8; d += 2)
			reach |= ray_attacks(d, square, occupied);
		if (piece == BISHOP)
			return reach;
		/* fall through */
	default:
		for (int d = 0; d < 8; d += 2)
			reach |= ray_attacks(d, square, occupied);
		return reach;
	}
}

static uint64_t attackers_to(const struct position *p, int square, uint64_t occupied)
{
	uint64_t queens = p->piece[WHITE][QUEEN] | p->piece[BLACK][QUEEN];
	uint64_t diagonal = p->piece[WHITE][BISHOP] | p->piece[BLACK][BISHOP] | queens;
	uint64_t straight = p->piece[WHITE][ROOK] | p->piece[BLACK][ROOK] | queens;

	return (pawn_reach[WHITE][square] & p->piece[BLACK][PAWN]) |
	       (pawn_reach[BLACK][square] & p->piece[WHITE][PAWN]) |
	       (knight_reach[square] & (p->piece[WHITE][KNIGHT] | p->piece[BLACK][KNIGHT])) |
	       (king_reach[square] & (p->piece[WHITE][KING] | p->piece[BLACK][KING])) |
	       (piece_attacks(BISHOP, square, occupied) & diagonal) |
	       (piece_attacks(ROOK, square, occupied) & straight);
}

static int is_attacked(const struct position *p, int square, int by)
{
	uint64_t occupied = p->side[WHITE] | p->side[BLACK];

	if ((pawn_reach[!by][square] & p->piece[by][PAWN]) ||
	    (knight_reach[square] & p->piece[by][KNIGHT]) ||
	    (king_reach[square] & p->piece[by][KING]))
		return 1;
	for (int d = 0; d < 8; d++) {
		uint64_t sliders = p->piece[by][QUEEN] | p->piece[by][d & 1 ? BISHOP : ROOK];

		if ((ray[d][square] & sliders) && (ray_attacks(d, square, occupied) & sliders))
			return 1;
	}
	return 0;
}

static int in_check(const struct position *p, int side)
{
	return is_attacked(p, lowest_square(p->piece[side][KING]), !side);
}

static void position_put(struct position *p, int side, int piece, int square)
{
	p->piece[side][piece] ^= BIT(square);
	p->side[side] ^= BIT(square);
	p->on[square] = (uint8_t)piece;
	p->key ^= zobrist[side][piece][square];
	if (piece == PAWN)
		p->pawn_key ^= zobrist[side][piece][square];
}

static void position_take(struct position *p, int side, int piece, int square)
{
	position_put(p, side, piece, square);
	p->on[square] = NONE;
}

static uint64_t position_state_key(const struct position *p)
{
	return zobrist_castling[p->castling] ^ (p->turn ? zobrist_turn : 0) ^
	       (p->en_passant != NO_SQUARE ? zobrist_file[p->en_passant & 7] : 0);
}

static void position_parse(struct position *p, const char *board, int castling)
{
	static const char names[] = "pnbrqk";
	int x = 0, y = 7;

	memset(p, 0, sizeof(*p));
	memset(p->on, NONE, sizeof(p->on));
	p->castling = castling;
	p->en_passant = NO_SQUARE;
	for (; *board; board++) {
		if (*board == '/') {
			x = 0;
			y--;
		} else if (*board >= '1' && *board <= '8') {
			x += *board - '0';
		} else {
			int side = *board >= 'a' ? BLACK : WHITE;
			const char *name = strchr(names, side == BLACK ? *board : *board + 32);

			position_put(p, side, (int)(name - names), y * 8 + x++);
		}
	}
	p->key ^= position_state_key(p);
}

static void position_move(struct position *p, uint32_t m)
{
	int us = p->turn, them = !us, from = MOVE_FROM(m), to = MOVE_TO(m);
	int piece = MOVE_PIECE(m), captured = MOVE_CAPTURED(m), promotion = MOVE_PROMOTION(m);

	p->key ^= position_state_key(p);
	position_take(p, us, piece, from);
	if (MOVE_KIND(m) == EN_PASSANT)
		position_take(p, them, PAWN, to ^ 8);
	else if (captured != NONE)
		position_take(p, them, captured, to);
	position_put(p, us, promotion != NONE ? promotion : piece, to);
	if (MOVE_KIND(m) == CASTLE) {
		int king_side = to > from;

		position_take(p, us, ROOK, king_side ? to + 1 : to - 2);
		position_put(p, us, ROOK, king_side ? to - 1 : to + 1);
	}
	p->castling &= castling_mask[from] & castling_mask[to];
	p->en_passant = NO_SQUARE;
	if (MOVE_KIND(m) == DOUBLE_STEP && (pawn_reach[us][(from + to) / 2] & p->piece[them][PAWN]))
		p->en_passant = (from + to) / 2;
	p->turn = them;
	p->key ^= position_state_key(p);
}

static void list_add(struct move_list *list, uint32_t move)
{
	list->move[list->size++] = move;
}

static void add_pawn_move(struct move_list *list, int from, int to, int captured, int kind)
{
	if (to < 8 || to >= 56) {
		for (int promotion = QUEEN; promotion >= KNIGHT; promotion--)
			list_add(list, move_make(from, to, PAWN, captured, promotion, kind));
		return;
	}
	list_add(list, move_make(from, to, PAWN, captured, NONE, kind));
}

static void generate_pawns(const struct position *p, struct move_list *list, int captures_only)
{
	int us = p->turn, forward = us == WHITE ? 8 : -8;
	uint64_t empty = ~(p->side[WHITE] | p->side[BLACK]);
	uint64_t targets = p->side[!us];

	for (uint64_t pawns = p->piece[us][PAWN]; pawns;) {
		int from = pop_square(&pawns), to = from + forward;
		uint64_t hits = pawn_reach[us][from] & targets;
		int start = us == WHITE ? from < 16 : from >= 48;

		while (hits) {
			int target = pop_square(&hits);

			add_pawn_move(list, from, target, p->on[target], NORMAL);
		}
		if (p->en_passant != NO_SQUARE && (pawn_reach[us][from] & BIT(p->en_passant)))
			add_pawn_move(list, from, p->en_passant, PAWN, EN_PASSANT);
		if (!(empty & BIT(to)) || (captures_only && to >= 8 && to < 56))
			continue;
		add_pawn_move(list, from, to, NONE, NORMAL);
		if (start && !captures_only && (empty & BIT(to + forward)))
			add_pawn_move(list, from, to + forward, NONE, DOUBLE_STEP);
	}
}

static void generate_castling(const struct position *p, struct move_list *list)
{
	int us = p->turn, king = us == WHITE ? 4 : 60;
	int rights = p->castling >> (us == WHITE ? 0 : 2);
	uint64_t occupied = p->side[WHITE] | p->side[BLACK];

	if ((rights & 1) && !(occupied & (UINT64_C(0x60) << (king - 4))) &&
	    !is_attacked(p, king, !us) && !is_attacked(p, king + 1, !us))
		list_add(list, move_make(king, king + 2, KING, NONE, NONE, CASTLE));
	if ((rights & 2) && !(occupied & (UINT64_C(0x0e) << (king - 4))) &&
	    !is_attacked(p, king, !us) && !is_attacked(p, king - 1, !us))
		list_add(list, move_make(king, king - 2, KING, NONE, NONE, CASTLE));
}

/* Pseudo-legal: may leave the own king in check. */
static void generate(const struct position *p, struct move_list *list, int captures_only)
{
	int us = p->turn;
	uint64_t occupied = p->side[WHITE] | p->side[BLACK];
	uint64_t targets = captures_only ? p->side[!us] : ~p->side[us];

	list->size = 0;
	generate_pawns(p, list, captures_only);
	for (int piece = KNIGHT; piece <= KING; piece++)
		for (uint64_t set = p->piece[us][piece]; set;) {
			int from = pop_square(&set);
			uint64_t reach = piece_attacks(piece, from, occupied) & targets;

			while (reach) {
				int to = pop_square(&reach);

				list_add(list, move_make(from, to, piece, p->on[to], NONE, NORMAL));
			}
		}
	if (!captures_only)
		generate_castling(p, list);
}

/* Makes the move in a copy; false if it leaves the mover's king in check. */
static int try_move(const struct position *p, uint32_t move, struct position *after)
{
	*after = *p;
	position_move(after, move);
	return !in_check(after, p->turn);
}

#endif
